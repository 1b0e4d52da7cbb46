// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

#include "support/device.hpp"

namespace {

// What ctest takes for "skipped" (SKIP_RETURN_CODE in CMakeLists.txt).
constexpr int kSkipped = 77;

bool has_hardware_gpu() {
  const auto devices = weft::Gpu::list();
  if (!devices) return false;
  for (const weft::GpuInfo& device : *devices)
    if (device.kind != weft::GpuKind::software && device.support.usable()) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv("WEFT_TEST_HARDWARE_ONLY") != nullptr && !has_hardware_gpu()) {
    std::cout << "skipped: no hardware GPU that weft can use\n";
    return kSkipped;
  }
  doctest::Context context(argc, argv);
  const int result = context.run();
  const int stray_messages = weft::test::close_devices();
  return result != 0 ? result : (stray_messages != 0 ? 1 : 0);
}
