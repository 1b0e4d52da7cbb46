// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <weft/context.hpp>

#include "vk/device_table.hpp"

namespace weft::runtime {

/// What kernels and strategies are chosen by: facts about the device and what the host enabled on it.
struct DeviceTraits {
  uint32_t vendor_id = 0;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  bool int64 = false;                 ///< shaderInt64 is enabled
  bool float64 = false;               ///< shaderFloat64 is enabled
  bool buffer_int64_atomics = false;  ///< shaderBufferInt64Atomics and shaderInt64 are enabled
  uint32_t max_workgroup_invocations = 0;
  uint32_t max_workgroup_count_x = 0;
  uint32_t shared_memory_bytes = 0;
};

/// A compute pipeline; its layout is the Context's only one: 128 bytes of push constants, no descriptor sets.
class Pipeline {
 public:
  Pipeline(const vk::DeviceTable& table, VkDevice device, const VkAllocationCallbacks* allocator, VkPipeline pipeline,
           VkPipelineLayout layout) noexcept;
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  VkPipeline handle() const noexcept { return pipeline_; }
  VkPipelineLayout layout() const noexcept { return layout_; }

 private:
  const vk::DeviceTable& table_;
  VkDevice device_;
  const VkAllocationCallbacks* allocator_;
  VkPipeline pipeline_;
  VkPipelineLayout layout_;
};

/// A Context's insides. Pipelines and primitives hold it alive.
class ContextState : public std::enable_shared_from_this<ContextState> {
 public:
  static Result<std::shared_ptr<const ContextState>> create(const ContextConfig& config);
  ~ContextState();

  const vk::DeviceTable& vk() const noexcept { return table_; }
  VkDevice device() const noexcept { return device_; }
  const VkAllocationCallbacks* allocator() const noexcept { return allocator_; }
  const DeviceTraits& traits() const noexcept { return traits_; }
  SubgroupBackend subgroup_backend() const noexcept { return subgroup_backend_; }
  uint32_t subgroup_size() const noexcept { return subgroup_size_; }
  Strategy strategy() const noexcept { return strategy_; }  ///< what automatic means here; never automatic
  VkPipelineLayout layout() const noexcept { return layout_; }

  Status check_type(Type type) const;  ///< missing_feature, naming it, where items of `type` cannot be computed with

  /// The pipeline of a kernel of the manifest, built at the first request and shared by later equal ones while any holder
  /// lives. `kernel` is the manifest's name without the backend's suffix, e.g. "scan_look_back.u8.u32.state64";
  /// ".native" or ".emulated" is appended. Specialization constants: id 0 is `workgroup_size`, id 1 the subgroup size,
  /// id 2 + i is constants[i].
  Result<std::shared_ptr<const Pipeline>> pipeline(const std::string& kernel, uint32_t workgroup_size,
                                                   std::span<const uint32_t> constants) const;

  VkDeviceAddress address_of(const BufferRange& range) const noexcept;  ///< of the range's first byte

  Result<std::vector<std::byte>> pipeline_cache_data() const;

 private:
  ContextState() = default;

  vk::DeviceTable table_{};
  VkDevice device_ = VK_NULL_HANDLE;
  const VkAllocationCallbacks* allocator_ = nullptr;
  VkAllocationCallbacks allocator_copy_{};
  DeviceTraits traits_;
  SubgroupBackend subgroup_backend_ = SubgroupBackend::native;
  uint32_t subgroup_size_ = 0;
  bool pin_subgroup_size_ = false;       ///< the device varies it: request subgroup_size_ for every pipeline
  bool require_full_subgroups_ = false;
  Strategy strategy_ = Strategy::reduce_then_scan;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  bool owns_cache_ = false;

  mutable std::mutex pipelines_mutex_;
  mutable std::map<std::string, std::weak_ptr<const Pipeline>> pipelines_;
};

/// VkResult as an Error; `what` says what failed, e.g. "vkCreateBuffer".
Error error_of(VkResult result, const char* what);

}  // namespace weft::runtime
