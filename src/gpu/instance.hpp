// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weft/gpu.hpp>

#include "vk/instance_table.hpp"

namespace weft::runtime {

/// A device of the list and its handle.
struct ListedGpu {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  GpuInfo info;
};

/// The VkInstance of a Gpu or of a listing.
class GpuInstance {
 public:
  using OnMessage = std::function<void(std::string_view)>;

  /// `get_instance_proc_addr` null: the system's loader. Of the wanted extensions those are enabled that are there.
  /// Errors: not_found (no loader, no driver), missing_feature (a loader of Vulkan 1.0), out_of_host_memory,
  /// out_of_device_memory, driver_error.
  static Result<std::unique_ptr<GpuInstance>> create(PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                                                     OnMessage on_message, const std::vector<std::string>& wanted);
  ~GpuInstance();
  GpuInstance(const GpuInstance&) = delete;
  GpuInstance& operator=(const GpuInstance&) = delete;

  VkInstance handle() const noexcept { return instance_; }
  const vk::InstanceTable& vk() const noexcept { return table_; }
  PFN_vkGetInstanceProcAddr get_instance_proc_addr() const noexcept { return get_instance_proc_addr_; }
  uint32_t api_version() const noexcept { return api_version_; }
  bool has_debug_utils() const noexcept { return messenger_ != VK_NULL_HANDLE; }        ///< the extension is enabled
  const std::vector<std::string>& extra_extensions() const noexcept { return extra_; }  ///< wanted and enabled

  /// Every device, best first.
  Result<std::vector<ListedGpu>> list() const;

 private:
  GpuInstance() = default;

  PFN_vkGetInstanceProcAddr get_instance_proc_addr_ = nullptr;
  uint32_t api_version_ = 0;
  std::vector<std::string> extra_;
  OnMessage on_message_;  // the messenger points here: a GpuInstance does not move
  VkInstance instance_ = VK_NULL_HANDLE;
  vk::InstanceTable table_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

/// The device that `selection` names: an index in the list, a UUID, or a part of a name (any case). Empty: the first
/// usable one. The list is ordered best first, and of several whose name fits the first usable one is taken.
/// Errors: not_found, which lists the devices; missing_feature (what fits cannot run weft, and why).
Result<uint32_t> select_gpu(const std::vector<ListedGpu>& list, std::string_view selection);

/// The family for weft's queue.
uint32_t choose_queue_family(const std::vector<VkQueueFamilyProperties>& families);
/// The family for a second queue beside one of `first`: the same if it has several.
std::optional<uint32_t> choose_second_family(const std::vector<VkQueueFamilyProperties>& families, uint32_t first);
/// A family for transfers alone: the first.
std::optional<uint32_t> choose_copy_family(const std::vector<VkQueueFamilyProperties>& families);

}  // namespace weft::runtime
