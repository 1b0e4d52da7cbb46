// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/tuning.hpp"

#include <algorithm>
#include <charconv>
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
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), change.value);
    const TuningRange range = change.table->key(change.key);
    if (error != std::errc{} || end != digits.data() + digits.size() || change.value < range.min ||
        change.value > range.max)
      return Error{ErrorCode::invalid_argument, std::string(name) + " takes a number from " +
                                                    std::to_string(range.min) + " to " + std::to_string(range.max) +
                                                    ", not '" + std::string(digits) + "'"};
    overrides.push_back(change);
  }
  return {};
}

}  // namespace weft::runtime
