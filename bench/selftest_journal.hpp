// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/status.hpp>

namespace weft::bench {

/// A case that a self-test began.
struct SelftestEntry {
  enum class Ending { pass, fail, lost, unended };

  std::string name;
  uint64_t seed = 0;
  Ending ending = Ending::unended;  ///< unended: the process ended in it
  bool held_back = false;           ///< see test::Outcome
  std::string problem;
};

/// The results of self-tests on one device: a line of JSON for the device, then one where a case begins and one where
/// it ends, and the same for pipelines that are built beside it. Every line is on the disk before anything else
/// happens, so that the file is whole whenever the process dies.
class SelftestJournal {
 public:
  /// Reads what is there, and goes on after it. A last line that is not whole is taken off. `head`: of report_head.
  /// Errors: invalid_argument (of another device, driver or weft, or no such file), system_error.
  static Result<SelftestJournal> open(const std::string& path, const nlohmann::ordered_json& head);

  const std::vector<SelftestEntry>& entries() const noexcept { return entries_; }
  /// Of a process that ended while several cases were in work: any of them may have ended it. None of them is among
  /// entries() for that.
  const std::vector<std::string>& suspects() const noexcept { return suspects_; }
  /// `more`: members of its line.
  Status begin(const std::string& name, uint64_t seed, const nlohmann::ordered_json& more);
  Status building(const std::string& name, uint64_t seed);
  Status built(const std::string& name);
  /// Of the case begun last. `more`: members of its line.
  Status end(SelftestEntry::Ending ending, bool held_back, const std::string& problem, nlohmann::ordered_json more);
  /// A line that is about no case's end.
  Status add(const nlohmann::ordered_json& line);

 private:
  explicit SelftestJournal(std::FILE* file) : file_(file, &std::fclose) {}
  void read(const std::vector<nlohmann::ordered_json>& lines);
  void settle(std::vector<SelftestEntry>& in_work);

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<SelftestEntry> entries_;
  size_t settled_ = 0;  // of the entries, while they are read
  std::vector<std::string> suspects_;
};

const char* name_of(SelftestEntry::Ending ending);

}  // namespace weft::bench
