// SPDX-License-Identifier: MIT OR Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "support/device.hpp"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int result = context.run();
  // Drivers insist that devices are gone before exit.
  const int stray_messages = weft::test::close_devices();
  return result != 0 ? result : (stray_messages != 0 ? 1 : 0);
}
