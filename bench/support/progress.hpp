// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace weft::bench {

/// A line on stderr with what is being measured and about how long it will take, where stderr is a terminal.
class Progress {
 public:
  /// `total` of what `advance` counts.
  explicit Progress(double total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what);
  void clear();
  void advance(double amount) { done_ += amount; }

 private:
  using Clock = std::chrono::steady_clock;
  double total_;
  double done_ = 0;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace weft::bench
