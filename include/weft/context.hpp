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
  /// Device extensions that weft uses where they are enabled (strings with static lifetime). Empty on Vulkan 1.3.
  std::vector<const char*> extensions;

  bool usable() const noexcept { return missing.empty(); }
};

/// The features weft wants of a device, as a chain for vkCreateDevice. Movable; must outlive the vkCreateDevice call.
///
///     auto features =
///         weft::DeviceFeatures::query(instance, physical_device, vkGetInstanceProcAddr, VK_API_VERSION_1_3);
///     VkDeviceCreateInfo info{...};                 // may carry feature structures of the host's own
///     features->extend(info);
///     vkCreateDevice(physical_device, &info, nullptr, &device);
class DeviceFeatures {
 public:
  /// Asks the device. `api_version` is the version the instance was created for; the lower of it and the device's
  /// counts. Errors: invalid_argument (null handle or function), out_of_host_memory, out_of_device_memory,
  /// driver_error.
  static Result<DeviceFeatures> query(VkInstance instance, VkPhysicalDevice physical_device,
                                      PFN_vkGetInstanceProcAddr get_instance_proc_addr, uint32_t api_version);

  DeviceFeatures(DeviceFeatures&&) noexcept;
  DeviceFeatures& operator=(DeviceFeatures&&) noexcept;
  ~DeviceFeatures();

  const DeviceSupport& support() const noexcept;

  /// Turns on in `info` every feature the device has and weft can use, and turns none off: in structures the host
  /// already chained where they are there (they are written to), else in structures linked in front of `info.pNext`,
  /// which live in this object; one that the host already has is never doubled. Features in pEnabledFeatures are
  /// copied, and the copy extended. Extensions are the host's to add, before this call: see DeviceSupport::extensions.
  /// Serves one `info` at a time.
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

/// A host's device, as Context adopts it. Handles stay the host's and must outlive the Context and all made from it;
/// the rest is read by Context::create alone.
struct ContextConfig {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  uint32_t api_version = VK_API_VERSION_1_3;  ///< what the instance was created for

  /// The structure given to vkCreateDevice (its pNext chain and pEnabledFeatures are read): what the host turned on.
  /// Not null.
  const VkDeviceCreateInfo* device_create_info = nullptr;

  /// The host's, created without EXTERNALLY_SYNCHRONIZED. Null: the Context owns one.
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  /// Initial contents of an owned cache, from Context::pipeline_cache_data. Contents of another device or driver,
  /// damaged or truncated ones are ignored.
  const void* pipeline_cache_data = nullptr;
  size_t pipeline_cache_size = 0;
  /// Used for every object weft creates, from every thread that calls weft. Copied; what pUserData points to is not.
  const VkAllocationCallbacks* allocator = nullptr;

  /// VK_EXT_debug_utils is enabled on the instance: pipelines get names for tools. (weft cannot ask whether it is.)
  bool debug_utils = false;

  /// What Strategy::automatic means for primitives of this Context. Itself automatic: what WEFT_STRATEGY in the
  /// environment says (reduce_then_scan or look_back), else by the kind of device.
  Strategy strategy = Strategy::automatic;
  /// automatic: what WEFT_SUBGROUPS in the environment says (native, native:SIZE, emulated or emulated:SIZE), else by
  /// what the device has and the host enabled.
  SubgroupBackend subgroup_backend = SubgroupBackend::automatic;
  /// A power of two from 4 to 128, or 0: the best. native: pinned to this size; emulated: the width.
  uint32_t subgroup_size = 0;
};

/// weft on one VkDevice: a private function table, the device's limits, a pipeline cache. A handle: copies are cheap
/// and share. Immutable after creation; every const call, and creating and recording primitives, may run on many
/// threads.
///
/// Synchronisation, one rule for every primitive: before its commands execute, the caller makes inputs visible to
/// COMPUTE_SHADER / SHADER_READ, and earlier accesses to outputs and scratch complete before COMPUTE_SHADER; afterwards
/// outputs are COMPUTE_SHADER / SHADER_WRITE, for the caller to make visible. Barriers between a primitive's own
/// dispatches are weft's. Recording changes the command buffer's compute pipeline and push constants, and nothing else.
class Context {
 public:
  /// Errors: invalid_argument (null handle, a size that is none, an unknown word in WEFT_STRATEGY or WEFT_SUBGROUPS),
  /// missing_feature (a requirement is lacking or not enabled, or the chosen backend or size is not available),
  /// out_of_host_memory, out_of_device_memory, device_lost, driver_error.
  static Result<Context> create(const ContextConfig& config);

  VkDevice device() const noexcept;
  SubgroupBackend subgroup_backend() const noexcept;  ///< native or emulated
  uint32_t subgroup_size() const noexcept;            ///< of weft's kernels, in lanes
  /// What a pipeline of the host's own that includes weft/*.glsl gives to
  /// VkPipelineShaderStageRequiredSubgroupSizeCreateInfo, because the device varies its size; 0: nothing, leave it out.
  uint32_t required_subgroup_size() const noexcept;
  /// What Strategy::automatic resolves to on this Context. Never automatic.
  Strategy strategy() const noexcept;
  bool supports(Type type) const noexcept;

  /// The pipeline cache's contents in an envelope of weft's, to be given to a later Context as pipeline_cache_data.
  /// Errors: out_of_host_memory, out_of_device_memory, driver_error.
  Result<std::vector<std::byte>> pipeline_cache_data() const;

  /// For the library's own sources.
  const std::shared_ptr<const runtime::ContextState>& state() const noexcept { return state_; }

 private:
  explicit Context(std::shared_ptr<const runtime::ContextState> state);
  std::shared_ptr<const runtime::ContextState> state_;
};

}  // namespace weft
