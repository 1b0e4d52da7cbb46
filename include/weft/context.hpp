// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
                                      PFN_vkGetInstanceProcAddr get_instance_proc_addr, uint32_t api_version) noexcept;

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

/// What a host turned on when it created its VkDevice, for a host that has no VkDeviceCreateInfo, such as an engine's
/// plug-in.
/// The features have Vulkan's names.
struct EnabledFeatures {
  /// Must be on.
  bool buffer_device_address = false;
  /// For items of types u64 and i64.
  bool shader_int64 = false;
  /// For items of type f64.
  bool shader_float64 = false;
  /// With shader_int64: for look_back.
  bool shader_buffer_int64_atomics = false;
  /// For native subgroups on a device that varies their size.
  bool subgroup_size_control = false;
  bool compute_full_subgroups = false;
  /// The device extensions. Below Vulkan 1.3 the two features above need VK_EXT_subgroup_size_control among them.
  std::span<const char* const> extensions{};
};

/// A host's device, as Context adopts it. Handles stay the host's and must outlive the Context and all made from it;
/// the rest is read by Context::create alone.
struct ContextConfig {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  uint32_t api_version = VK_API_VERSION_1_3;  ///< what the instance was created for

  /// What the host turned on: the structure given to vkCreateDevice (its pNext chain and pEnabledFeatures are read), or
  /// `enabled`.
  /// Exactly one of the two must be given.
  const VkDeviceCreateInfo* device_create_info = nullptr;
  std::optional<EnabledFeatures> enabled{};

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

  /// What Strategy::automatic means for primitives of this Context. automatic: by the kind of device.
  Strategy strategy = Strategy::automatic;
  /// automatic: by what the device has and the host enabled.
  SubgroupBackend subgroup_backend = SubgroupBackend::automatic;
  /// A power of two from 4 to 128, or 0: the best. native: pinned to this size; emulated: the width.
  uint32_t subgroup_size = 0;

  /// Whether the environment decides what is automatic above (WEFT_STRATEGY, WEFT_SUBGROUPS) and how large tiles are
  /// (WEFT_TUNE). A value of no use is ignored, with a warning. weft::Gpu obeys it always.
  bool use_environment = false;
};

/// weft on one VkDevice: a private function table, the device's limits, a pipeline cache.
/// A handle: copies are cheap and share. Immutable after creation.
/// Barriers, threads, queue families, lifetime, destruction with work pending: docs/integration.md.
class Context {
 public:
  /// Errors: invalid_argument (null handle, a size that is none, a stated feature that the device lacks),
  /// missing_feature (a requirement is lacking or not enabled, or the chosen backend or size is not available),
  /// out_of_host_memory, out_of_device_memory, device_lost, driver_error.
  static Result<Context> create(const ContextConfig& config) noexcept;

  VkDevice device() const noexcept;
  SubgroupBackend subgroup_backend() const noexcept;  ///< native or emulated
  uint32_t subgroup_size() const noexcept;            ///< of weft's kernels, in lanes
  /// What a pipeline of the host's own that includes weft/*.glsl gives to
  /// VkPipelineShaderStageRequiredSubgroupSizeCreateInfo, because the device varies its size; 0: nothing, leave it out.
  uint32_t required_subgroup_size() const noexcept;
  /// What Strategy::automatic resolves to on this Context. Never automatic.
  Strategy strategy() const noexcept;
  bool supports(Type type) const noexcept;
  /// Sentences for a log: values of the environment that were ignored, each with the reason.
  const std::vector<std::string>& warnings() const noexcept;

  /// The pipeline cache's contents in an envelope of weft's, to be given to a later Context as pipeline_cache_data.
  /// Errors: out_of_host_memory, out_of_device_memory, driver_error.
  Result<std::vector<std::byte>> pipeline_cache_data() const noexcept;

  /// For the library's own sources.
  const std::shared_ptr<const runtime::ContextState>& state() const noexcept { return state_; }

 private:
  explicit Context(std::shared_ptr<const runtime::ContextState> state);
  std::shared_ptr<const runtime::ContextState> state_;
};

}  // namespace weft
