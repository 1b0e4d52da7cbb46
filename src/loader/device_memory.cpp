// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <new>

#include "loader/space.hpp"
#include "loader/vulkan.hpp"
#include "runtime/error.hpp"

namespace weft::loader {

namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

template <class Function>
Function instance_function(const LoaderDevice& device, const char* name) {
  return reinterpret_cast<Function>(device.get_instance_proc_addr(device.instance, name));
}

template <class Function>
void load(Function& function, const LoaderDevice& from, VkDevice device, const char* name) {
  const auto get = instance_function<PFN_vkGetDeviceProcAddr>(from, "vkGetDeviceProcAddr");
  function = get != nullptr ? reinterpret_cast<Function>(get(device, name)) : nullptr;
}

}  // namespace

Functions load_functions(VkDevice device, const LoaderDevice& from) {
  Functions functions;
  if (from.debug_utils) {
    load(functions.begin_label, from, device, "vkCmdBeginDebugUtilsLabelEXT");
    load(functions.end_label, from, device, "vkCmdEndDebugUtilsLabelEXT");
  }
  load(functions.copy_to_image, from, device, "vkCmdCopyBufferToImage");
  load(functions.reset_pool, from, device, "vkResetCommandPool");
  load(functions.create_semaphore, from, device, "vkCreateSemaphore");
  load(functions.destroy_semaphore, from, device, "vkDestroySemaphore");
  load(functions.queue_wait_idle, from, device, "vkQueueWaitIdle");
  load(functions.signal_semaphore, from, device, "vkSignalSemaphore");
  return functions;
}

VkPhysicalDeviceMemoryProperties memory_of(const LoaderDevice& device) {
  VkPhysicalDeviceMemoryProperties memory{};
  const auto query =
      instance_function<PFN_vkGetPhysicalDeviceMemoryProperties>(device, "vkGetPhysicalDeviceMemoryProperties");
  if (query != nullptr) query(device.physical_device, &memory);
  return memory;
}

Staging::~Staging() {
  bound_ = {};
  give_back_host();
}

void Staging::give_back_host() noexcept {
  if (host_ == nullptr) return;
  if (free_)
    free_(host_);
  else
    ::operator delete (host_, std::align_val_t{kStagingAlignment});
  host_ = nullptr;
}

uint64_t window_bytes(const VkPhysicalDeviceMemoryProperties& memory) {
  uint64_t bytes = 0;
  for (const uint32_t type : vk::memory_types(memory, UINT32_MAX, vk::MemoryUse::window))
    bytes = std::max<uint64_t>(bytes, memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size);
  return bytes;
}

Status Staging::create(const runtime::ContextState& state, const LoaderDevice& device, const LoaderConfig& config,
                       uint64_t bytes) {
  const bool must_import = config.staging == StagingMemory::imported;
  VkResult result = VK_ERROR_EXTENSION_NOT_PRESENT;
  if (device.external_memory_host && (must_import || config.staging == StagingMemory::automatic)) {
    host_ = config.allocate ? config.allocate(bytes, kStagingAlignment)
                            : ::operator new (bytes, std::align_val_t{kStagingAlignment}, std::nothrow);
    free_ = config.free;
    if (host_ == nullptr) return Error{ErrorCode::out_of_host_memory, "Loader: no memory for staging"};
    result = import(state, device, bytes);
  }
  if (result != VK_SUCCESS && must_import)
    return Error{ErrorCode::unsupported, "Loader: the device does not import memory of the host"};
  if (result != VK_SUCCESS) {
    if (host_ != nullptr && config.log)
      config.log("Loader: the device does not import memory of the host; staging is the driver's");
    give_back_host();
    result = bind(state, device, bytes, vk::MemoryUse::staging);
  }
  if (result != VK_SUCCESS) return runtime::error_of(result, "staging memory of Loader");
  bytes_ = {static_cast<std::byte*>(bound_.mapped), bytes};
  return {};
}

Status Staging::create_window(const runtime::ContextState& state, const LoaderDevice& device, uint64_t bytes) {
  const VkResult result = bind(state, device, bytes, vk::MemoryUse::window);
  if (result != VK_SUCCESS) return runtime::error_of(result, "device memory for Loader's staging");
  bytes_ = {static_cast<std::byte*>(bound_.mapped), bytes};
  return {};
}

VkResult Staging::import(const runtime::ContextState& state, const LoaderDevice& device, uint64_t bytes) {
  PFN_vkGetMemoryHostPointerPropertiesEXT query = nullptr;
  load(query, device, state.device(), "vkGetMemoryHostPointerPropertiesEXT");
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  if (query == nullptr) return VK_ERROR_EXTENSION_NOT_PRESENT;
  const VkResult result =
      query(state.device(), VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, host_, &properties);
  if (result != VK_SUCCESS) return result;
  const vk::HostMemory host{host_, properties.memoryTypeBits};
  return bind(state, device, bytes, vk::MemoryUse::staging, &host);
}

// Both queues read it.
VkResult Staging::bind(const runtime::ContextState& state, const LoaderDevice& device, uint64_t bytes,
                       vk::MemoryUse use, const vk::HostMemory* host) {
  const std::array<uint32_t, 2> families{device.queue_family, device.copy_queue_family};
  const bool are_two = has_copy_queue(device) && families[0] != families[1];
  return vk::create_bound_buffer({&state.vk(), state.device(), state.allocator()}, memory_of(device), bytes, kUsage,
                                 use, bound_, host, std::span(families).first(are_two ? 2 : 0));
}

}  // namespace weft::loader
