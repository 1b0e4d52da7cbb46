// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "loader/device.hpp"
#include "runtime/context_state.hpp"
#include "vk/memory.hpp"

namespace weft::loader {

/// Memory that the host and the device see.
class Staging {
 public:
  ~Staging();
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Of the host: imported or the driver's, as the configuration says.
  Status create(const runtime::ContextState& state, const LoaderDevice& device, const LoaderConfig& config,
                uint64_t bytes);
  /// Of the device.
  Status create_window(const runtime::ContextState& state, const LoaderDevice& device, uint64_t bytes);
  bool is_imported() const noexcept { return host_ != nullptr; }
  VkBuffer buffer() const noexcept { return bound_.buffer.get(); }
  std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  void give_back_host() noexcept;
  VkResult import(const runtime::ContextState& state, const LoaderDevice& device, uint64_t bytes);

  VkResult bind(const runtime::ContextState& state, const LoaderDevice& device, uint64_t bytes, vk::MemoryUse use,
                const vk::HostMemory* host = nullptr);

  vk::BoundBuffer bound_;
  std::span<std::byte> bytes_;
  void* host_ = nullptr;
  std::function<void(void*)> free_;
};

/// What the Loader calls beside what every part of weft does.
struct Functions {
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_label = nullptr;  // null without VK_EXT_debug_utils
  PFN_vkCmdEndDebugUtilsLabelEXT end_label = nullptr;
  PFN_vkCmdCopyBufferToImage copy_to_image = nullptr;
  PFN_vkResetCommandPool reset_pool = nullptr;
  PFN_vkSignalSemaphore signal_semaphore = nullptr;  // null before Vulkan 1.2
  PFN_vkCreateSemaphore create_semaphore = nullptr;
  PFN_vkDestroySemaphore destroy_semaphore = nullptr;
  PFN_vkQueueWaitIdle queue_wait_idle = nullptr;
};
Functions load_functions(VkDevice device, const LoaderDevice& from);
VkPhysicalDeviceMemoryProperties memory_of(const LoaderDevice& device);
inline bool has_copy_queue(const LoaderDevice& device) {
  return device.queue != VK_NULL_HANDLE && device.copy_queue != VK_NULL_HANDLE;
}
/// Bytes of the largest heap of the device whose memory the host sees.
uint64_t window_bytes(const VkPhysicalDeviceMemoryProperties& memory);

Result<std::unique_ptr<Device>> open_device(const Context& context, const LoaderDevice& device,
                                            const LoaderConfig& config);

}  // namespace weft::loader
