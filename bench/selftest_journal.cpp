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

// What two runs must have in common for the second to go on after the first.
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

// Where a process has ended: of one case that was in work it is known that it did that.
void SelftestJournal::settle(std::vector<SelftestEntry>& in_work) {
  if (entries_.size() > settled_ && entries_.back().ending == Ending::unended) {
    std::erase_if(in_work, [&](const SelftestEntry& build) { return build.name == entries_.back().name; });
    in_work.push_back(entries_.back());
    entries_.pop_back();
  }
  suspects_.clear();
  if (in_work.size() == 1)
    entries_.push_back(in_work.front());
  else
    for (const SelftestEntry& entry : in_work) suspects_.push_back(entry.name);
  in_work.clear();
  settled_ = entries_.size();
}

void SelftestJournal::read(const std::vector<Json>& lines) {
  std::vector<SelftestEntry> builds;
  for (const Json& line : lines) {
    const auto seed = member(line, "seed", uint64_t{0});
    if (line.contains("resumed")) settle(builds);
    if (line.contains("building"))
      builds.push_back({member(line, "building", std::string()), seed, Ending::unended, false, {}});
    if (line.contains("built"))
      std::erase_if(builds,
                    [&](const SelftestEntry& build) { return build.name == member(line, "built", std::string()); });
    if (line.contains("begin"))
      entries_.push_back({member(line, "begin", std::string()), seed, Ending::unended, false, {}});
    if (!line.contains("end") || entries_.empty()) continue;
    SelftestEntry& entry = entries_.back();
    const std::string verdict = member(line, "verdict", std::string());
    entry.ending = Ending::unended;
    for (const Ending one : {Ending::pass, Ending::fail, Ending::lost})
      if (verdict == name_of(one)) entry.ending = one;
    entry.held_back = member(line, "held_back", false);
    entry.problem = member(line, "problem", std::string());
  }
  settle(builds);
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
  journal.read(lines);
  if (const Status status = journal.add(lines.empty() ? head : Json{{"resumed", true}}); !status) return status.error();
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

Status SelftestJournal::begin(const std::string& name, uint64_t seed, const Json& more) {
  entries_.push_back({name, seed, Ending::unended, false, {}});
  Json line{{"begin", name}, {"seed", seed}};
  line.update(more);
  return add(line);
}

Status SelftestJournal::building(const std::string& name, uint64_t seed) {
  return add({{"building", name}, {"seed", seed}});
}

Status SelftestJournal::built(const std::string& name) { return add({{"built", name}}); }

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
