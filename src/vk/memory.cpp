// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vk/memory.hpp"

#include <algorithm>
#include <tuple>

namespace weft::vk {

std::vector<uint32_t> memory_types(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed_types,
                                   MemoryUse use) {
  // Types for special purposes: never chosen, even where they come first.
  constexpr VkMemoryPropertyFlags kSpecial =
      VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
      VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
  constexpr VkMemoryPropertyFlags kHostCoherent =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags kDeviceLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  const VkMemoryPropertyFlags needed =
      (use != MemoryUse::staging ? kDeviceLocal : 0) | (use != MemoryUse::device ? kHostCoherent : 0);

  std::vector<uint32_t> types;
  for (uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    if ((allowed_types >> type & 1U) != 0 && (flags & needed) == needed && (flags & kSpecial) == 0)
      types.push_back(type);
  }
  const auto preference = [&](uint32_t type) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    const VkDeviceSize heap = memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
    const bool first = use == MemoryUse::device    ? (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0
                       : use == MemoryUse::staging ? (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0
                                                   : false;
    const bool second = use != MemoryUse::device && (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
    return std::tuple(first, second, heap);
  };
  std::stable_sort(types.begin(), types.end(), [&](uint32_t a, uint32_t b) { return preference(a) > preference(b); });
  return types;
}

VkResult create_bound_buffer(const DeviceRef& device, const VkPhysicalDeviceMemoryProperties& memory, VkDeviceSize size,
                             VkBufferUsageFlags usage, MemoryUse use, BoundBuffer& out, const HostMemory* host,
                             std::span<const uint32_t> families) {
  constexpr auto kHostMemory = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  const DeviceTable& vk = *device.table;
  out = {};

  VkBufferCreateInfo buffer_info{};
  buffer_info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer_info.size = size;
  buffer_info.usage = usage;
  buffer_info.sharingMode = families.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  buffer_info.queueFamilyIndexCount = static_cast<uint32_t>(families.size());
  buffer_info.pQueueFamilyIndices = families.data();
  VkExternalMemoryBufferCreateInfo external_info{};
  external_info.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external_info.handleTypes = kHostMemory;
  if (host != nullptr) buffer_info.pNext = &external_info;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (VkResult result = vk.vkCreateBuffer(device.device, &buffer_info, device.allocator, &buffer); result != VK_SUCCESS)
    return result;
  BoundBuffer bound;
  bound.buffer = UniqueBuffer(device, buffer);
  bound.size = size;

  VkMemoryRequirements requirements{};
  vk.vkGetBufferMemoryRequirements(device.device, buffer, &requirements);
  if (host != nullptr && requirements.size > size) return VK_ERROR_OUT_OF_DEVICE_MEMORY;

  VkMemoryAllocateFlagsInfo flags_info{};
  flags_info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags_info.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate_info{};
  allocate_info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  const bool addressed = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
  if (addressed) allocate_info.pNext = &flags_info;
  allocate_info.allocationSize = host != nullptr ? size : requirements.size;
  VkImportMemoryHostPointerInfoEXT import_info{};
  import_info.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import_info.pNext = allocate_info.pNext;
  import_info.handleType = kHostMemory;
  if (host != nullptr) {
    import_info.pHostPointer = host->at;
    allocate_info.pNext = &import_info;
    requirements.memoryTypeBits &= host->types;
  }

  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (const uint32_t type : memory_types(memory, requirements.memoryTypeBits, use)) {
    if (memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size < requirements.size) continue;
    allocate_info.memoryTypeIndex = type;
    VkDeviceMemory allocated = VK_NULL_HANDLE;
    result = vk.vkAllocateMemory(device.device, &allocate_info, device.allocator, &allocated);
    if (result == VK_SUCCESS) bound.memory = UniqueMemory(device, allocated);
    // An import may be refused for one type alone.
    if (result == VK_SUCCESS || (host == nullptr && result != VK_ERROR_OUT_OF_DEVICE_MEMORY)) break;
  }
  if (result != VK_SUCCESS) return result;

  result = vk.vkBindBufferMemory(device.device, buffer, bound.memory.get(), 0);
  if (result != VK_SUCCESS) return result;
  if (host != nullptr) {
    bound.mapped = host->at;
  } else if (use != MemoryUse::device) {
    result = vk.vkMapMemory(device.device, bound.memory.get(), 0, VK_WHOLE_SIZE, 0, &bound.mapped);
    if (result != VK_SUCCESS) return result;
  }
  if (addressed) {
    VkBufferDeviceAddressInfo address_info{};
    address_info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    address_info.buffer = buffer;
    bound.address = vk.vkGetBufferDeviceAddress(device.device, &address_info);
  }
  out = std::move(bound);
  return VK_SUCCESS;
}

}  // namespace weft::vk
