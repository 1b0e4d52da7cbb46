// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/export.h>

#include "vk/unique.hpp"

namespace weft::vk {

/// What a buffer's memory is for.
enum class MemoryUse : uint8_t {
  device,   ///< read and written by the device alone
  staging,  ///< written and read by the host, copied by the device; coherent
  window,   ///< of the device, written by the host, read by the device; coherent
};

/// The memory types of `allowed_types` (bits) that serve `use`, best first.
///
/// device: device-local only; those the host does not see come first, because the host-visible window of a discrete
/// device may be a 256 MiB heap of its own. window: device-local, host-visible and coherent only. staging:
/// host-visible and coherent only; those outside the device first, for the same reason, and among them cached ones,
/// because the host reads uncached memory at a small share of its speed.
WEFT_API std::vector<uint32_t> memory_types(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed_types,
                                            MemoryUse use);

/// A buffer bound to memory of its own.
struct BoundBuffer {
  UniqueMemory memory;  // before the buffer: freed after it is destroyed
  UniqueBuffer buffer;
  VkDeviceSize size = 0;
  VkDeviceAddress address = 0;  ///< where `usage` has SHADER_DEVICE_ADDRESS, else 0
  void* mapped = nullptr;       ///< staging and window only
};

/// Memory of the host that a buffer's is imported from, by VK_EXT_external_memory_host. It must outlive the buffer.
struct HostMemory {
  void* at = nullptr;
  uint32_t types = 0;  ///< of VkMemoryHostPointerPropertiesEXT
};

/// Creates `out`, trying the memory types in order until one has room. VK_ERROR_OUT_OF_DEVICE_MEMORY where none
/// has, also where no heap is as large as the buffer, or `host` is too small for what the driver needs. Several
/// `families` of queues share the buffer.
WEFT_API VkResult create_bound_buffer(const DeviceRef& device, const VkPhysicalDeviceMemoryProperties& memory,
                                      VkDeviceSize size, VkBufferUsageFlags usage, MemoryUse use, BoundBuffer& out,
                                      const HostMemory* host = nullptr, std::span<const uint32_t> families = {});

}  // namespace weft::vk
