// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include <weft/status.hpp>
#include <weft/types.hpp>

namespace weft {

namespace runtime {
class ContextState;  // src/runtime/context_state.hpp
}

/// What a physical device offers weft.
struct DeviceSupport {
  /// What weft cannot work without and the device lacks, in words. Empty: the device can be used.
  std::vector<std::string> missing;
  /// What the device lacks and weft can do without, each with its consequence, e.g.
  /// "shaderInt64: items of type u64 and i64 are unavailable".
  std::vector<std::string> absent;
  /// Device extensions to enable (strings with static lifetime). Empty on Vulkan 1.3.
  std::vector<const char*> extensions;

  bool usable() const noexcept { return missing.empty(); }
};

/// The features weft wants of a device, as a chain for vkCreateDevice. Movable; must outlive the vkCreateDevice call.
///
///     auto features = weft::DeviceFeatures::query(instance, physical_device, vkGetInstanceProcAddr);
///     VkDeviceCreateInfo info{...};                 // may carry feature structures of the host's own
///     features->extend(info);
///     vkCreateDevice(physical_device, &info, nullptr, &device);
class DeviceFeatures {
 public:
  /// Asks the device. `api_version` is the version the instance was created for; the lower of it and the device's counts.
  /// Errors: invalid_argument (null handle or function).
  static Result<DeviceFeatures> query(VkInstance instance, VkPhysicalDevice physical_device,
                                      PFN_vkGetInstanceProcAddr get_instance_proc_addr, uint32_t api_version);

  DeviceFeatures(DeviceFeatures&&) noexcept;
  DeviceFeatures& operator=(DeviceFeatures&&) noexcept;
  ~DeviceFeatures();

  const DeviceSupport& support() const noexcept;

  /// Turns on in `info` every feature the device has and weft can use: in structures the host already chained where they
  /// are there (they are written to), else in structures linked in front of `info.pNext`. Extensions are the host's to add.
  void extend(VkDeviceCreateInfo& info);

 private:
  struct Storage;
  explicit DeviceFeatures(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage_;
};

/// Where subgroup operations run.
enum class SubgroupBackend : uint8_t {
  automatic,  ///< native where the device has every operation weft uses, else emulated
  native,     ///< the device's own; an error where one is missing
  emulated,   ///< in shared memory, at any width; for devices that lack an operation, and for tests
};

/// A host's device, as Context adopts it. Handles stay the host's and must outlive the Context and all made from it.
struct ContextConfig {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  uint32_t api_version = VK_API_VERSION_1_3;  ///< what the instance was created for

  /// The structure given to vkCreateDevice (its pNext chain and pEnabledFeatures are read): what the host turned on.
  const VkDeviceCreateInfo* device_create_info = nullptr;

  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;     ///< the host's; null: the Context owns one
  const void* pipeline_cache_data = nullptr;           ///< initial contents of an owned cache; foreign or corrupt data is ignored
  size_t pipeline_cache_size = 0;
  const VkAllocationCallbacks* allocator = nullptr;    ///< used for every object weft creates

  Strategy strategy = Strategy::automatic;             ///< what Strategy::automatic means for primitives of this Context
  SubgroupBackend subgroup_backend = SubgroupBackend::automatic;
  uint32_t subgroup_size = 0;  ///< 0: the best; native: pinned to this size; emulated: the width (a power of two, 4 to 128)
};

/// weft on one VkDevice: a private function table, the device's limits, a pipeline cache. A handle: copies are cheap and
/// share. Immutable after creation; every const call, and creating and recording primitives, may run on many threads.
///
/// Synchronisation, one rule for every primitive: before its commands execute, the caller makes inputs visible to
/// COMPUTE_SHADER / SHADER_READ, and earlier accesses to outputs and scratch complete before COMPUTE_SHADER; afterwards
/// outputs are COMPUTE_SHADER / SHADER_WRITE, for the caller to make visible. Barriers between a primitive's own dispatches
/// are weft's. Recording changes the command buffer's compute pipeline and push constants, and nothing else.
class Context {
 public:
  /// Errors: invalid_argument (null handle), missing_feature (a requirement is not enabled, or the chosen backend or size
  /// is not available), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<Context> create(const ContextConfig& config);

  VkDevice device() const noexcept;
  SubgroupBackend subgroup_backend() const noexcept;  ///< native or emulated
  uint32_t subgroup_size() const noexcept;            ///< of weft's kernels, in lanes
  /// What Strategy::automatic resolves to on this Context for exact (integer and float alike) scans.
  Strategy strategy() const noexcept;
  bool supports(Type type) const noexcept;

  /// The pipeline cache's contents, to be given to a later Context as pipeline_cache_data.
  Result<std::vector<std::byte>> pipeline_cache_data() const;

  /// For the library's own sources.
  const std::shared_ptr<const runtime::ContextState>& state() const noexcept { return state_; }

 private:
  explicit Context(std::shared_ptr<const runtime::ContextState> state);
  std::shared_ptr<const runtime::ContextState> state_;
};

}  // namespace weft
