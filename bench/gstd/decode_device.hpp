// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <weft/gpu.hpp>

namespace weft::bench {

/// The commands of VK_NV_memory_decompression, of a device that has it turned on.
struct DriverDecoder {
  PFN_vkCmdDecompressMemoryNV decompress = nullptr;
  PFN_vkCmdDecompressMemoryIndirectCountNV decompress_indirect_count = nullptr;
  uint64_t most_indirect = 0;  ///< regions of one indirect call
};

struct DecodeDevice {
  Gpu gpu;
  std::optional<DriverDecoder> driver;
  std::string driver_absent;  ///< why there is none, if it was wanted
};

/// Opens a device as Gpu::open does; with the driver's decoder of GDeflate, if it is wanted and the device has it.
Result<DecodeDevice> open_decode_device(const std::string& device, bool wants_driver);

}  // namespace weft::bench
