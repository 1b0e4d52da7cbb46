// SPDX-License-Identifier: MIT OR Apache-2.0
#include "selftest_journal.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <fmt/format.h>

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Ending = SelftestEntry::Ending;

// A member that other programs may have left out or made something else.
template <class T>
T member(const Json& line, const char* name, T otherwise) {
  const auto found = line.find(name);
  if (found == line.end()) return otherwise;
  try {
    return found->get<T>();
  } catch (const Json::exception&) {
    return otherwise;
  }
}

// What two runs must have in common for the second to go on behind the first.
std::string identity(const Json& head) {
  const Json device = member(head, "device", Json::object());
  return member(device, "name", std::string()) + ", " + member(device, "driver", std::string()) + ", weft " +
         member(head, "commit", std::string());
}

Error cannot(const char* what, const std::string& path) {
  return {ErrorCode::system_error, fmt::format("cannot {} {}", what, path)};
}

// The whole lines of a file, and their bytes. Errors: a line is no JSON object.
Result<std::vector<Json>> whole_lines(const std::string& path, uint64_t& bytes) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return cannot("read", path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::vector<Json> lines;
  bytes = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', bytes)) {
    Json line = Json::parse(text.substr(bytes, end - bytes), nullptr, false);
    if (!line.is_object())
      return Error{ErrorCode::invalid_argument,
                   fmt::format("{}: line {} is no JSON object: no file of a self-test", path, lines.size() + 1)};
    lines.push_back(std::move(line));
    bytes = end + 1;
  }
  return lines;
}

}  // namespace

const char* name_of(Ending ending) {
  switch (ending) {
    case Ending::pass: return "pass";
    case Ending::fail: return "fail";
    case Ending::lost: return "lost";
    case Ending::unended: break;
  }
  return "unended";
}

std::vector<SelftestEntry> SelftestJournal::entries_in(const std::vector<Json>& lines) {
  std::vector<SelftestEntry> entries;
  for (const Json& line : lines) {
    if (line.contains("begin"))
      entries.push_back(
          {member(line, "begin", std::string()), member(line, "seed", uint64_t{0}), Ending::unended, false, {}});
    if (!line.contains("end") || entries.empty()) continue;
    SelftestEntry& entry = entries.back();
    const std::string verdict = member(line, "verdict", std::string());
    entry.ending = Ending::unended;
    for (const Ending one : {Ending::pass, Ending::fail, Ending::lost})
      if (verdict == name_of(one)) entry.ending = one;
    entry.held_back = member(line, "held_back", false);
    entry.problem = member(line, "problem", std::string());
  }
  return entries;
}

Result<SelftestJournal> SelftestJournal::open(const std::string& path, const Json& head) {
  std::error_code error;
  std::vector<Json> lines;
  if (std::filesystem::exists(path, error)) {
    uint64_t bytes = 0;
    auto found = whole_lines(path, bytes);
    if (!found) return found.error();
    lines = *std::move(found);
    if (!lines.empty() && identity(lines.front()) != identity(head))
      return Error{ErrorCode::invalid_argument, fmt::format("{} is of {}, and this is {}: name another by --file", path,
                                                            identity(lines.front()), identity(head))};
    std::filesystem::resize_file(path, bytes, error);
    if (error) return cannot("write", path);
  }
  std::FILE* const file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) return cannot("write", path);
  SelftestJournal journal(file);
  journal.entries_ = entries_in(lines);
  if (lines.empty())
    if (const Status status = journal.add(head); !status) return status.error();
  return journal;
}

Status SelftestJournal::add(const Json& line) {
  // Text of drivers may be no UTF-8.
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  bool written = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0;
#ifdef _WIN32
  written = written && _commit(_fileno(file_.get())) == 0;
#else
  // A device that hangs may take the system with it. A pipe cannot be synchronized, and need not.
  written = written && (fsync(fileno(file_.get())) == 0 || errno == EINVAL);
#endif
  if (!written) return Error{ErrorCode::system_error, "the file of results cannot be written"};
  return {};
}

Status SelftestJournal::begin(const std::string& name, uint64_t seed, bool loaded) {
  entries_.push_back({name, seed, Ending::unended, false, {}});
  return add({{"begin", name}, {"seed", seed}, {"loaded", loaded}});
}

Status SelftestJournal::end(Ending ending, bool held_back, const std::string& problem, Json more) {
  SelftestEntry& entry = entries_.back();
  entry.ending = ending;
  entry.held_back = held_back;
  entry.problem = problem;
  Json line{{"end", entry.name}, {"seed", entry.seed}, {"verdict", name_of(ending)}};
  if (held_back) line["held_back"] = true;
  if (!problem.empty()) line["problem"] = problem;
  line.update(more);
  return add(line);
}

}  // namespace weft::bench
