// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/tuning.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <string>

namespace weft::runtime {
namespace {

// Written while the program starts, read afterwards.
constinit const TuningTableBase* tables = nullptr;

std::string known_keys() {
  std::vector<std::string> names;
  for (const TuningTableBase* table = tables; table != nullptr; table = table->next())
    for (size_t i = 0; i < table->size(); ++i)
      names.push_back(std::string(table->name()) + "." + std::string(table->key(i).name));
  std::ranges::sort(names);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// A key without a table has not been found.
TuningOverride find(std::string_view name) {
  const size_t dot = std::min(name.find('.'), name.size());
  for (const TuningTableBase* table = tables; table != nullptr; table = table->next())
    for (uint32_t i = 0; table->name() == name.substr(0, dot) && i < table->size(); ++i)
      if (name.size() > dot && table->key(i).name == name.substr(dot + 1)) return {table, i, 0};
  return {};
}

// Texts in messages are short, whatever the file is.
std::string quoted(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string quote = "'";
  for (const char c : text.substr(0, kMost)) quote += c >= ' ' && c <= '~' ? c : '?';
  return quote + (text.size() > kMost ? "...'" : "'");
}

Status read_value(std::string_view name, std::string_view digits, TuningOverride& change) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), change.value);
  const TuningRange range = change.table->key(change.key);
  if (error == std::errc{} && end == digits.data() + digits.size() && change.value >= range.min &&
      change.value <= range.max)
    return {};
  return Error{ErrorCode::invalid_argument, std::string(name) + " takes a number from " + std::to_string(range.min) +
                                                " to " + std::to_string(range.max) + ", not " + quoted(digits)};
}

Error malformed(size_t line, const std::string& why) {
  return {ErrorCode::invalid_argument, "tuning, line " + std::to_string(line) + ": " + why};
}

// One line after the first that is neither empty nor a comment.
Status read_tuning_line(std::string_view line, std::set<std::string, std::less<>>& seen, TuningFile& file) {
  const auto refused = [](const std::string& why) { return Error{ErrorCode::invalid_argument, why}; };
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) return refused(quoted(line) + " is no key=value");
  const std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
  if (!seen.emplace(name).second) return refused(quoted(name) + " is given twice");
  if (name == "device") file.device = value;
  if (name == "device" && value.empty()) return refused("the device has no name");
  if (name == "device" || name == "driver" || name == "uuid") return {};
  TuningOverride change = find(name);
  if (change.table == nullptr) {
    file.unknown.push_back(quoted(name));
    return {};
  }
  if (!change.table->key(change.key).swept) return refused(std::string(name) + " is for tests, not for files");
  if (Status status = read_value(name, value, change); !status) return status;
  file.overrides.push_back(change);
  return {};
}

}  // namespace

TuningTableBase::TuningTableBase(std::string_view name) noexcept : name_(name), next_(tables) { tables = this; }

const TuningTableBase* TuningTableBase::first() noexcept { return tables; }

Status read_tuning_overrides(std::string_view text, std::vector<TuningOverride>& overrides) {
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    const size_t equals = entry.find('=');
    const std::string_view name = entry.substr(0, equals);
    TuningOverride change = find(name);
    if (change.table == nullptr)
      return Error{ErrorCode::invalid_argument,
                   "'" + std::string(name) + "' is no tuning key; there are " + known_keys()};
    const std::string_view digits = equals == std::string_view::npos ? std::string_view{} : entry.substr(equals + 1);
    if (Status status = read_value(name, digits, change); !status) return status;
    overrides.push_back(change);
  }
  return {};
}

Result<TuningFile> read_tuning_file(std::string_view text) {
  constexpr std::string_view kFirstLine = "weft-tuning 1";
  constexpr size_t kMostBytes = 1u << 16;
  if (text.size() > kMostBytes) return malformed(1, "the text has more than 64 KiB");
  TuningFile file;
  std::set<std::string, std::less<>> seen;
  for (size_t number = 1; !text.empty() || number == 1; ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1 && line != kFirstLine)
      return malformed(1, quoted(line) + " is not '" + std::string(kFirstLine) + "'");
    if (number == 1 || line.empty() || line.starts_with('#')) continue;
    if (const Status status = read_tuning_line(line, seen, file); !status)
      return malformed(number, status.error().message);
  }
  if (file.device.empty()) return malformed(1, "no line says device=");
  return file;
}

}  // namespace weft::runtime
