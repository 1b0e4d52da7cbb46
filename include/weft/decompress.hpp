// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/gdeflate_decode.hpp>

#include <cstdint>
#include <memory>

namespace weft {

/// What decodes the pages of a Decompress.
enum class DecompressPath : uint8_t {
  weft,        ///< GdeflateDecode
  driver_ext,  ///< VK_EXT_memory_decompression
  driver_nv,   ///< VK_NV_memory_decompression
};
/// The enumerator's name.
WEFT_API const char* name_of(DecompressPath path) noexcept;

/// Extensions of the driver that the host has enabled on its VkDevice, with their feature memoryDecompression. weft
/// cannot query that.
struct DriverDecompression {
  /// As in ContextConfig.
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  /// Whether VK_EXT_memory_decompression is enabled.
  bool ext = false;
  /// Whether VK_NV_memory_decompression is.
  bool nv = false;
};

struct DecompressConfig {
  /// Whether the caller vouches for the pages: what a driver does with damaged ones is undefined. If false, the driver
  /// decodes none.
  bool trusted = false;
  /// Read by create alone. Null: no extension is enabled.
  const DriverDecompression* driver = nullptr;
  /// As in GdeflateDecodeConfig.
  uint32_t pages_in_flight = 0;
};

/// Decodes pages of GDeflate 1.0 by the driver's extension, EXT before NV, if it is enabled, has that format, and the
/// pages are trusted; else by GdeflateDecode. Arguments, table and output are the same.
///
/// By the driver:
/// - Pages whose output is at no multiple of 4, in the device's address space, are refused as bad_entry.
/// - Statuses say what is wrong with entries, and nothing of pages: those of damaged ones are `none`.
/// - `source` and `output` need VK_BUFFER_USAGE_2_MEMORY_DECOMPRESSION_BIT_EXT with VK_EXT_memory_decompression.
///   `scratch` needs INDIRECT_BUFFER.
/// - The driver has pages in the order of the table. It takes less time with the largest first.
/// - Cost: for as many pages as the driver takes at once, a dispatch that makes its regions of the table; then what the
///   driver takes.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API Decompress {
 public:
  /// Builds the pipelines of the path that is taken. Errors: as GdeflateDecode::create.
  static Result<Decompress> create(const Context& context, const DecompressConfig& config = {}) noexcept;

  DecompressPath path() const noexcept;

  /// Scratch bytes that suffice for any call with at most `pages` pages.
  VkDeviceSize scratch_size(uint64_t pages) const noexcept;

  /// As GdeflateDecode::record.
  Status record(VkCommandBuffer commands, const GdeflateDecodeArgs& args) const noexcept;

 private:
  struct Plan;
  explicit Decompress(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
