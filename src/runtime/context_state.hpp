// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>

#include "runtime/device_facts.hpp"
#include "runtime/error.hpp"
#include "vk/device_table.hpp"
#include "vk/unique.hpp"

namespace weft::runtime {

/// What kernels and strategies are chosen by: facts about the device and what the host enabled on it.
struct DeviceTraits {
  uint32_t vendor_id = 0;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  VkDriverId driver_id = VkDriverId{};
  bool int64 = false;                      ///< shaderInt64 is enabled
  bool float64 = false;                    ///< shaderFloat64 is enabled
  bool buffer_int64_atomics = false;       ///< shaderBufferInt64Atomics and shaderInt64 are enabled
  uint32_t max_workgroup_invocations = 0;  ///< at the Context's subgroup size, in x; at least 256
  uint32_t max_workgroup_count_x = 0;
  uint32_t shared_memory_bytes = 0;
};

class ContextState;
class TuningTableBase;  // runtime/tuning.hpp

/// A key of WEFT_TUNE with its value.
struct TuningOverride {
  const TuningTableBase* table = nullptr;
  uint32_t key = 0;  ///< its index in the table
  uint32_t value = 0;
};

/// A compute pipeline; its layout is the Context's only one: 128 bytes of push constants, no descriptor sets.
class Pipeline {
 public:
  Pipeline(std::shared_ptr<const ContextState> context, vk::UniquePipeline pipeline, std::string kernel) noexcept;

  VkPipeline handle() const noexcept { return pipeline_.get(); }
  /// Empty without VK_EXT_debug_utils.
  const std::string& kernel() const noexcept { return kernel_; }
  WEFT_API VkPipelineLayout layout() const noexcept;

 private:
  std::shared_ptr<const ContextState> context_;  // before the pipeline: outlives it
  vk::UniquePipeline pipeline_;
  std::string kernel_;
};

/// Of weft/subgroup.h.
inline constexpr uint32_t kSumsByShuffles = 99;

/// A specialization constant's value. Ids 0 and 1 are the workgroup's and the subgroup's size, that of kSumsByShuffles
/// follows from the device.
struct ConstantValue {
  uint32_t id;
  uint32_t value;
};

/// A Context's insides. Pipelines and primitives hold it alive.
class ContextState : public std::enable_shared_from_this<ContextState> {
 public:
  static Result<std::shared_ptr<const ContextState>> create(const ContextConfig& config);
  ~ContextState();
  ContextState(const ContextState&) = delete;
  ContextState& operator=(const ContextState&) = delete;

  const vk::DeviceTable& vk() const noexcept { return table_; }
  /// A label of what is recorded until end_label(), which allocates nothing. Nothing without VK_EXT_debug_utils.
  WEFT_API void begin_label(VkCommandBuffer commands, const char* primitive, const std::string& kernel) const noexcept;
  WEFT_API void end_label(VkCommandBuffer commands) const noexcept;
  VkDevice device() const noexcept { return device_; }
  const VkAllocationCallbacks* allocator() const noexcept { return allocator_; }
  const DeviceTraits& traits() const noexcept { return traits_; }
  SubgroupBackend subgroup_backend() const noexcept { return subgroup_backend_; }
  uint32_t subgroup_size() const noexcept { return subgroup_size_; }
  /// Of a pipeline with workgroups of this size: no wider than they are, where subgroups are emulated
  /// or the device has such sizes.
  WEFT_API uint32_t subgroup_size_in(uint32_t workgroup_size) const noexcept;
  uint32_t required_subgroup_size() const noexcept { return pin_subgroup_size_ ? subgroup_size_ : 0; }
  Strategy strategy() const noexcept { return strategy_; }  ///< what automatic means here; never automatic
  bool strategy_is_forced() const noexcept { return strategy_is_forced_; }  ///< by the host or WEFT_STRATEGY
  const std::vector<TuningOverride>& tuning_overrides() const noexcept { return tuning_; }
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  VkPipelineLayout layout() const noexcept { return layout_.get(); }

  bool has_type(Type type) const noexcept;  ///< whether items of `type` can be computed with
  Status check_type(Type type) const;  ///< missing_feature, naming it, where items of `type` cannot be computed with
  WEFT_API Status check_look_back() const;  ///< missing_feature, naming it, where tile states cannot be published

  /// The pipeline of a kernel of the family `kernels`, built at the first request and shared by later equal ones while
  /// any holder lives. `kernel` is the manifest's name without the backend's suffix, e.g. "scan_look_back.u8.u32";
  /// ".native" or ".emulated" is appended. Constants that the kernel has not are ignored.
  /// `own`: the set to find the kernel in, instead of `kernels`.
  /// Many threads may ask at once: different variants are built side by side, one only once.
  /// Errors: unsupported (no such kernel; one that has a constant without a value), missing_feature (workgroup_size
  /// above traits().max_workgroup_invocations),
  /// out_of_host_memory, out_of_device_memory, device_lost, driver_error.
  Result<std::shared_ptr<const Pipeline>> pipeline(const PackedKernels& kernels, const std::string& kernel,
                                                   uint32_t workgroup_size, std::span<const ConstantValue> constants,
                                                   const KernelSet* own = nullptr) const;

  /// Bytes of the buffer's memory: its size, rounded up by the driver to an alignment. (Vulkan does not report the size
  /// itself.)
  VkDeviceSize memory_size(VkBuffer buffer) const noexcept;
  VkDeviceAddress address_of(const BufferRange& range) const noexcept;  ///< of the range's first byte

  Result<std::vector<std::byte>> pipeline_cache_data() const;

 private:
  ContextState();

  struct PipelineSlot {
    std::mutex building;  // held while one thread builds and others wait for its pipeline
    std::weak_ptr<const Pipeline> pipeline;
  };

  vk::DeviceRef ref() const noexcept { return {&table_, device_, allocator_}; }
  Status create_objects(const ContextConfig& config);
  Result<std::shared_ptr<const Pipeline>> build_pipeline(std::span<const uint32_t> code, const std::string& name,
                                                         uint32_t workgroup_size,
                                                         std::span<const ConstantValue> constants) const;

  vk::DeviceTable table_{};
  // Null where VK_EXT_debug_utils is not enabled.
  PFN_vkSetDebugUtilsObjectNameEXT set_object_name_ = nullptr;
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_label_ = nullptr;
  PFN_vkCmdEndDebugUtilsLabelEXT end_label_ = nullptr;
  VkDevice device_ = VK_NULL_HANDLE;
  const VkAllocationCallbacks* allocator_ = nullptr;
  VkAllocationCallbacks allocator_copy_{};
  DeviceFacts facts_;
  DeviceTraits traits_;
  SubgroupBackend subgroup_backend_ = SubgroupBackend::native;
  uint32_t subgroup_size_ = 0;
  bool pin_subgroup_size_ = false;       ///< the device varies it: request subgroup_size_ for every pipeline
  bool require_full_subgroups_ = false;  ///< of pipelines whose workgroup is a multiple of subgroup_size_
  Strategy strategy_ = Strategy::reduce_then_scan;
  bool strategy_is_forced_ = false;
  std::vector<TuningOverride> tuning_;
  std::vector<std::string> warnings_;
  vk::UniquePipelineLayout layout_;
  vk::UniquePipelineCache owned_cache_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;  // the owned one or the host's

  mutable std::mutex slots_mutex_;
  mutable std::map<std::string, std::vector<uint32_t>> kernel_constants_;  // ids, of kernels unpacked so far
  mutable std::map<std::string, PipelineSlot> slots_;                      // only grows: references to slots stay good
};

}  // namespace weft::runtime
