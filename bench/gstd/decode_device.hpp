// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <weft/decompress.hpp>
#include <weft/gpu.hpp>

namespace weft::bench {

struct DecodeDevice {
  Gpu gpu;
  std::optional<DriverDecompression> driver;
  std::string driver_absent;  ///< why there is none, if it was wanted
};

/// Opens a device as Gpu::open does; with the driver's VK_NV_memory_decompression, if it is wanted and there is one.
Result<DecodeDevice> open_decode_device(const std::string& device, bool wants_driver);

}  // namespace weft::bench
