// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <utility>

#include "vk/device_table.hpp"

namespace weft::vk {

/// What creating and destroying a device's objects takes. The table must outlive the objects.
struct DeviceRef {
  const DeviceTable* table = nullptr;
  VkDevice device = VK_NULL_HANDLE;
  const VkAllocationCallbacks* allocator = nullptr;
};

/// Sole owner of one object of a device. `destroy` is the table's member that destroys it.
template <class Handle, auto destroy>
class Unique {
 public:
  Unique() noexcept = default;
  Unique(const DeviceRef& device, Handle handle) noexcept : device_(device), handle_(handle) {}
  Unique(Unique&& other) noexcept
      : device_(other.device_), handle_(std::exchange(other.handle_, Handle{VK_NULL_HANDLE})) {}
  Unique& operator=(Unique&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Unique() {
    if (handle_ != VK_NULL_HANDLE) (device_.table->*destroy)(device_.device, handle_, device_.allocator);
  }

  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != VK_NULL_HANDLE; }

 private:
  DeviceRef device_;
  Handle handle_ = VK_NULL_HANDLE;
};

using UniqueBuffer = Unique<VkBuffer, &DeviceTable::vkDestroyBuffer>;
using UniqueCommandPool = Unique<VkCommandPool, &DeviceTable::vkDestroyCommandPool>;
using UniqueFence = Unique<VkFence, &DeviceTable::vkDestroyFence>;
using UniqueMemory = Unique<VkDeviceMemory, &DeviceTable::vkFreeMemory>;
using UniquePipeline = Unique<VkPipeline, &DeviceTable::vkDestroyPipeline>;
using UniquePipelineCache = Unique<VkPipelineCache, &DeviceTable::vkDestroyPipelineCache>;
using UniquePipelineLayout = Unique<VkPipelineLayout, &DeviceTable::vkDestroyPipelineLayout>;
using UniqueQueryPool = Unique<VkQueryPool, &DeviceTable::vkDestroyQueryPool>;
using UniqueShaderModule = Unique<VkShaderModule, &DeviceTable::vkDestroyShaderModule>;

}  // namespace weft::vk
