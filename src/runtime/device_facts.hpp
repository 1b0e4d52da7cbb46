// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <weft/context.hpp>

namespace weft::runtime {

/// The features weft uses: those a device has, or those a host enabled.
struct FeatureSet {
  bool buffer_device_address = false;
  bool int64 = false;
  bool float64 = false;
  bool buffer_int64_atomics = false;
  bool subgroup_size_control = false;
  bool full_subgroups = false;
};

/// What a device says of its subgroups.
struct SubgroupFacts {
  uint32_t size = 0;  ///< as reported; the size in use where it cannot vary
  VkShaderStageFlags stages = 0;
  VkSubgroupFeatureFlags operations = 0;
  bool range_known = false;  ///< the members below are filled: Vulkan 1.3 or VK_EXT_subgroup_size_control
  uint32_t min_size = 0;
  uint32_t max_size = 0;
  uint32_t max_workgroup_subgroups = 0;  ///< where a size is required of a pipeline
  VkShaderStageFlags required_size_stages = 0;
};

/// What weft asks a physical device, in one place.
struct DeviceFacts {
  std::string name;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t driver_version = 0;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  uint32_t device_version = 0;  ///< of Vulkan, as the device reports it
  uint32_t api_version = 0;     ///< the lower of that and the instance's: what may be used
  VkPhysicalDeviceLimits limits{};
  std::array<uint8_t, VK_UUID_SIZE> pipeline_cache_uuid{};
  bool compute_queue = false;

  // Below Vulkan 1.2 nothing from here on is filled, and support_of() says why.
  VkDriverId driver_id = VkDriverId{};
  std::string driver;  ///< the driver's name and version in its own words
  std::array<uint8_t, VK_UUID_SIZE> device_uuid{};
  VkDeviceSize max_allocation_size = 0;
  VkDeviceSize max_buffer_size = 0;  ///< ~0 where the device does not say
  SubgroupFacts subgroups;
  FeatureSet features;
  bool size_control_extension = false;  ///< subgroup size control is VK_EXT_subgroup_size_control's, not the core's
  bool portability_subset = false;      ///< VK_KHR_portability_subset, which must be enabled on a device that has it
};

/// Errors: invalid_argument (null), out_of_host_memory, out_of_device_memory, driver_error.
Result<DeviceFacts> query_device_facts(VkInstance instance, VkPhysicalDevice physical_device,
                                       PFN_vkGetInstanceProcAddr get_instance_proc_addr, uint32_t api_version);

/// What the device offers weft, in words.
DeviceSupport support_of(const DeviceFacts& facts);

/// Whether the driver may run pipelines at another subgroup size than `subgroups.size` unless one is required of it.
bool subgroup_size_varies(const DeviceFacts& facts) noexcept;

/// Operations that the native backend uses and the device lacks in compute shaders, e.g. "VOTE, SHUFFLE"; empty: none.
std::string missing_subgroup_operations(const SubgroupFacts& subgroups);

inline constexpr uint32_t kVendorAmd = 0x1002;
inline constexpr uint32_t kVendorNvidia = 0x10DE;
inline constexpr uint32_t kVendorIntel = 0x8086;

inline constexpr uint32_t kMinWorkgroupInvocations = 256;
inline constexpr uint32_t kMinSharedMemoryBytes = 16384;
inline constexpr uint32_t kPushConstantBytes = 128;
inline constexpr uint32_t kMinSubgroupSize = 4;
inline constexpr uint32_t kMaxSubgroupSize = 128;

}  // namespace weft::runtime
