// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
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
  if (host_ == nullptr) return;
  if (free_)
    free_(host_);
  else
    ::operator delete (host_, std::align_val_t{kStagingAlignment});
}

Status Staging::create(const runtime::ContextState& state, const LoaderDevice& device, const LoaderConfig& config,
                       uint64_t bytes) {
  if (device.external_memory_host) {
    host_ = config.allocate ? config.allocate(bytes, kStagingAlignment)
                            : ::operator new (bytes, std::align_val_t{kStagingAlignment}, std::nothrow);
    free_ = config.free;
    if (host_ == nullptr) return Error{ErrorCode::out_of_host_memory, "Loader: no memory for staging"};
    if (import(state, device, bytes)) return {};
    if (config.log) config.log("Loader: the device does not import memory of the host; staging is the driver's");
  }
  const VkResult result = vk::create_bound_buffer({&state.vk(), state.device(), state.allocator()}, memory_of(device),
                                                  bytes, kUsage, vk::MemoryUse::staging, bound_);
  if (result != VK_SUCCESS) return runtime::error_of(result, "staging memory of Loader");
  bytes_ = {static_cast<std::byte*>(bound_.mapped), bytes};
  return {};
}

bool Staging::import(const runtime::ContextState& state, const LoaderDevice& device, uint64_t bytes) {
  constexpr auto kType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  PFN_vkGetMemoryHostPointerPropertiesEXT query = nullptr;
  load(query, device, state.device(), "vkGetMemoryHostPointerPropertiesEXT");
  const vk::DeviceRef ref{&state.vk(), state.device(), state.allocator()};
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  if (query == nullptr || query(state.device(), kType, host_, &properties) != VK_SUCCESS) return false;

  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kType;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &external;
  info.size = bytes;
  info.usage = kUsage;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (state.vk().vkCreateBuffer(state.device(), &info, state.allocator(), &buffer) != VK_SUCCESS) return false;
  vk::BoundBuffer bound;
  bound.buffer = vk::UniqueBuffer(ref, buffer);
  bound.size = bytes;
  VkMemoryRequirements needs{};
  state.vk().vkGetBufferMemoryRequirements(state.device(), buffer, &needs);

  VkImportMemoryHostPointerInfoEXT pointer{};
  pointer.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  pointer.handleType = kType;
  pointer.pHostPointer = host_;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = &pointer;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.pNext = &flags;
  allocate.allocationSize = bytes;
  const VkPhysicalDeviceMemoryProperties memory = memory_of(device);
  if (needs.size > bytes) return false;
  for (const uint32_t type :
       vk::memory_types(memory, properties.memoryTypeBits & needs.memoryTypeBits, vk::MemoryUse::staging)) {
    allocate.memoryTypeIndex = type;
    VkDeviceMemory allocated = VK_NULL_HANDLE;
    if (state.vk().vkAllocateMemory(state.device(), &allocate, state.allocator(), &allocated) != VK_SUCCESS) continue;
    bound.memory = vk::UniqueMemory(ref, allocated);
    if (state.vk().vkBindBufferMemory(state.device(), buffer, allocated, 0) != VK_SUCCESS) return false;
    bound_ = std::move(bound);
    bytes_ = {static_cast<std::byte*>(host_), bytes};
    return true;
  }
  return false;
}

}  // namespace weft::loader
