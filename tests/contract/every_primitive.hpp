// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One call of every primitive on the null driver.
#pragma once

#include "null_driver.hpp"
#include "support/sound_calls.hpp"

namespace weft::test {

/// A Gpu of the null driver.
inline Gpu open_null_gpu() {
  GpuConfig config;
  config.get_instance_proc_addr = null_driver::get_instance_proc_addr;
  Result<Gpu> gpu = Gpu::open(config);
  if (!gpu) FAIL(gpu.error().message);
  return *std::move(gpu);
}

}  // namespace weft::test
