// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace weft::bench {

/// A line on stderr with what is being measured and about how long it will take, where stderr is a terminal.
class Progress {
 public:
  /// `total` of what `advance` counts.
  explicit Progress(double total) : total_(total) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what) {
    if (!is_terminal_) return;
    const double share = total_ > 0 ? done_ / total_ : 0;
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    std::fprintf(stderr, "\r[%3.0f %%", share * 100);
    if (share > 0.02) std::fprintf(stderr, ", about %.0f s left", elapsed / share * (1 - share));
    // \033[K erases what is left of a longer line.
    std::fprintf(stderr, "] %s\033[K", what.c_str());
  }
  void clear() {
    if (is_terminal_) std::fputs("\r\033[K", stderr);
  }
  void advance(double amount) { done_ += amount; }

 private:
  using Clock = std::chrono::steady_clock;
  double total_;
  double done_ = 0;
#ifdef _WIN32
  bool is_terminal_ = _isatty(_fileno(stderr)) != 0;
#else
  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
#endif
  Clock::time_point start_ = Clock::now();
};

}  // namespace weft::bench
