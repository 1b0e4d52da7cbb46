// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdlib>

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

namespace weft::test {

/// Null: removes the variable.
inline void set_variable(const char* name, const char* value) {
#ifdef _WIN32
  _putenv_s(name, value != nullptr ? value : "");
#else
  value != nullptr ? setenv(name, value, 1) : unsetenv(name);
#endif
}

/// For names of files that no other process has.
inline long process_id() {
#ifdef _WIN32
  return _getpid();
#else
  return getpid();
#endif
}

}  // namespace weft::test
