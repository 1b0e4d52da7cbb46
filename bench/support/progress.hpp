// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace weft::bench {

/// "[ 25 %, about 4 min left]". No time before a fiftieth of all is done: it would be a guess.
inline std::string progress_text(double share, double elapsed_s) {
  char text[64];
  const double left = share > 0 ? elapsed_s / share * (1 - share) : 0;
  if (share <= 0.02)
    std::snprintf(text, sizeof text, "[%3.0f %%]", share * 100);
  else if (left < 90)
    std::snprintf(text, sizeof text, "[%3.0f %%, about %.0f s left]", share * 100, left);
  else
    std::snprintf(text, sizeof text, "[%3.0f %%, about %.0f min left]", share * 100, std::ceil(left / 60));
  return text;
}

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
    // \033[K erases what is left of a longer line.
    std::fprintf(stderr, "\r%s %.65s\033[K", progress_text(share, elapsed).c_str(), what.c_str());
  }
  void clear() {
    if (is_terminal_) std::fputs("\r\033[K", stderr);
  }
  void advance(double amount) { done_ += amount; }
  void set(double done) { done_ = done; }

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
