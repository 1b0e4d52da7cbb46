// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/progress.hpp"

#include <cstdio>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <fmt/format.h>

namespace weft::bench {
namespace {

bool stderr_is_terminal() {
#ifdef _WIN32
  return _isatty(_fileno(stderr)) != 0;
#else
  return isatty(STDERR_FILENO) != 0;
#endif
}

}  // namespace

Progress::Progress(double total) : total_(total), terminal_(stderr_is_terminal()) {}

void Progress::show(const std::string& what) {
  if (!terminal_) return;
  const double share = total_ > 0 ? done_ / total_ : 0;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string left;
  if (share > 0.02) left = fmt::format(", about {:.0f} s left", elapsed / share * (1 - share));
  // \033[K erases what a longer line left behind.
  fmt::print(stderr, "\r[{:3.0f} %{}] {}\033[K", share * 100, left, what);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace weft::bench
