// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <vector>

namespace weft::bench {

/// Pipelines of cases that are yet to run, which drivers take longer for than for the cases: built on threads of their
/// own, at most one for each core but that of the case.
class SelftestBuilds {
 public:
  using HandOver = std::function<void()>;

  SelftestBuilds();
  /// Waits for all.
  ~SelftestBuilds() { finish(); }
  SelftestBuilds(const SelftestBuilds&) = delete;
  SelftestBuilds& operator=(const SelftestBuilds&) = delete;

  /// Whether another may begin. Counts what is built and waits to be taken, too, as that holds memory.
  bool has_room() const;
  void begin(const std::string& name, std::function<HandOver()> build);
  bool has(const std::string& name) const { return builds_.contains(name); }
  /// Waits for that one and hands it over.
  void take(const std::string& name);
  /// The names of those that have ended since the last call.
  std::vector<std::string> ended();
  /// Waits for all, and forgets them. Gives the names that ended() has not.
  std::vector<std::string> finish();

 private:
  struct Build {
    std::future<HandOver> future;
    bool is_ended = false;
  };

  size_t threads_ = 0;
  std::map<std::string, Build> builds_;
};

}  // namespace weft::bench
