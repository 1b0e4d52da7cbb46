// SPDX-License-Identifier: MIT OR Apache-2.0
// Preloaded into the gstd command. Fails the call of fsync with the number FSYNC_FAILS, as a disk does.
#include <cerrno>
#include <cstdlib>

extern "C" int fsync(int) {
  static int calls = 0;
  const char* failing = std::getenv("FSYNC_FAILS");
  if (failing == nullptr || ++calls != std::atoi(failing)) return 0;
  errno = EIO;
  return -1;
}
