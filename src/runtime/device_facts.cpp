// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/device_facts.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/error.hpp"
#include "vk/instance_table.hpp"

namespace weft::runtime {
namespace {

std::string version_words(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version));
}

Result<std::vector<VkExtensionProperties>> device_extensions(const vk::InstanceTable& vk, VkPhysicalDevice device) {
  std::vector<VkExtensionProperties> extensions;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    uint32_t count = 0;
    result = vk.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    if (result != VK_SUCCESS) break;
    extensions.resize(count);
    result = vk.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
    extensions.resize(count);
  }
  if (result != VK_SUCCESS) return error_of(result, "vkEnumerateDeviceExtensionProperties");
  return extensions;
}

bool has_extension(const std::vector<VkExtensionProperties>& extensions, const char* name) {
  return std::ranges::any_of(extensions, [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

// Prepends `next` to the chain that starts at `chain`.
template <class Structure>
void link(void*& chain, Structure& next, VkStructureType type) {
  next.sType = type;
  next.pNext = chain;
  chain = &next;
}

void query_properties(const vk::InstanceTable& vk, VkPhysicalDevice device, bool core_1_3, bool size_control,
                      DeviceFacts& facts) {
  VkPhysicalDeviceIDProperties id{};
  VkPhysicalDeviceSubgroupProperties subgroup{};
  VkPhysicalDeviceMaintenance3Properties maintenance3{};
  VkPhysicalDeviceDriverProperties driver{};
  VkPhysicalDeviceMaintenance4Properties maintenance4{};
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  link(properties.pNext, id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  link(properties.pNext, subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  link(properties.pNext, maintenance3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  link(properties.pNext, driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  if (core_1_3) link(properties.pNext, maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
  if (size_control) link(properties.pNext, sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  vk.vkGetPhysicalDeviceProperties2(device, &properties);

  facts.driver_id = driver.driverID;
  facts.driver = driver.driverName;
  if (driver.driverInfo[0] != '\0') facts.driver += std::string(" ") + driver.driverInfo;
  std::copy_n(id.deviceUUID, VK_UUID_SIZE, facts.device_uuid.begin());
  facts.max_allocation_size = maintenance3.maxMemoryAllocationSize;
  facts.max_buffer_size = core_1_3 ? maintenance4.maxBufferSize : ~VkDeviceSize{0};
  facts.subgroups.size = subgroup.subgroupSize;
  facts.subgroups.stages = subgroup.supportedStages;
  facts.subgroups.operations = subgroup.supportedOperations;
  facts.subgroups.range_known = size_control;
  facts.subgroups.min_size = sizes.minSubgroupSize;
  facts.subgroups.max_size = sizes.maxSubgroupSize;
  facts.subgroups.max_workgroup_subgroups = sizes.maxComputeWorkgroupSubgroups;
  facts.subgroups.required_size_stages = sizes.requiredSubgroupSizeStages;
}

void query_features(const vk::InstanceTable& vk, VkPhysicalDevice device, bool size_control, DeviceFacts& facts) {
  VkPhysicalDeviceVulkan12Features vulkan_1_2{};
  VkPhysicalDeviceSubgroupSizeControlFeatures control{};
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  link(features.pNext, vulkan_1_2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  if (size_control) link(features.pNext, control, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
  vk.vkGetPhysicalDeviceFeatures2(device, &features);

  facts.features.buffer_device_address = vulkan_1_2.bufferDeviceAddress == VK_TRUE;
  facts.features.int64 = features.features.shaderInt64 == VK_TRUE;
  facts.features.float64 = features.features.shaderFloat64 == VK_TRUE;
  facts.features.buffer_int64_atomics = facts.features.int64 && vulkan_1_2.shaderBufferInt64Atomics == VK_TRUE;
  facts.features.subgroup_size_control = control.subgroupSizeControl == VK_TRUE;
  facts.features.full_subgroups = control.computeFullSubgroups == VK_TRUE;
}

}  // namespace

Result<DeviceFacts> query_device_facts(VkInstance instance, VkPhysicalDevice physical_device,
                                       PFN_vkGetInstanceProcAddr get_instance_proc_addr, uint32_t api_version) {
  if (instance == VK_NULL_HANDLE) return Error{ErrorCode::invalid_argument, "instance is null"};
  if (physical_device == VK_NULL_HANDLE) return Error{ErrorCode::invalid_argument, "physical_device is null"};
  if (get_instance_proc_addr == nullptr) return Error{ErrorCode::invalid_argument, "get_instance_proc_addr is null"};
  vk::InstanceTable vk;
  if (!vk::load_instance_table(vk, instance, get_instance_proc_addr))
    return Error{ErrorCode::invalid_argument, "get_instance_proc_addr does not find the functions of Vulkan 1.0"};

  DeviceFacts facts;
  VkPhysicalDeviceProperties basic{};
  vk.vkGetPhysicalDeviceProperties(physical_device, &basic);
  facts.name = basic.deviceName;
  facts.vendor_id = basic.vendorID;
  facts.device_id = basic.deviceID;
  facts.driver_version = basic.driverVersion;
  facts.type = basic.deviceType;
  facts.device_version = basic.apiVersion;
  facts.api_version = std::min(basic.apiVersion, api_version);
  facts.limits = basic.limits;
  std::copy_n(basic.pipelineCacheUUID, VK_UUID_SIZE, facts.pipeline_cache_uuid.begin());

  uint32_t family_count = 0;
  vk.vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &family_count, nullptr);
  std::vector<VkQueueFamilyProperties> families(family_count);
  vk.vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &family_count, families.data());
  facts.compute_queue = std::ranges::any_of(
      families, [](const VkQueueFamilyProperties& family) { return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; });

  if (facts.api_version < VK_API_VERSION_1_2) return facts;
  if (vk.vkGetPhysicalDeviceProperties2 == nullptr || vk.vkGetPhysicalDeviceFeatures2 == nullptr)
    return Error{ErrorCode::invalid_argument, "get_instance_proc_addr does not find the functions of Vulkan 1.1"};

  auto extensions = device_extensions(vk, physical_device);
  if (!extensions) return extensions.error();
  const bool core_1_3 = facts.api_version >= VK_API_VERSION_1_3;
  facts.size_control_extension = !core_1_3 && has_extension(*extensions, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  facts.portability_subset = has_extension(*extensions, "VK_KHR_portability_subset");
  const bool size_control = core_1_3 || facts.size_control_extension;
  query_properties(vk, physical_device, core_1_3, size_control, facts);
  query_features(vk, physical_device, size_control, facts);
  return facts;
}

bool subgroup_size_varies(const DeviceFacts& facts) noexcept {
  if (facts.subgroups.range_known) return facts.subgroups.min_size != facts.subgroups.max_size;
  // Intel's compiler picks 8, 16 or 32 for each pipeline while the device reports 32.
  return facts.vendor_id == kVendorIntel && facts.type != VK_PHYSICAL_DEVICE_TYPE_CPU;
}

std::string missing_subgroup_operations(const SubgroupFacts& subgroups) {
  constexpr struct {
    VkSubgroupFeatureFlagBits bit;
    const char* name;
  } kOperations[] = {
      {VK_SUBGROUP_FEATURE_BASIC_BIT, "BASIC"},
      {VK_SUBGROUP_FEATURE_VOTE_BIT, "VOTE"},
      {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "ARITHMETIC"},
      {VK_SUBGROUP_FEATURE_BALLOT_BIT, "BALLOT"},
      {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "SHUFFLE"},
      {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, "SHUFFLE_RELATIVE"},
  };
  const bool in_compute = (subgroups.stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  std::string missing;
  for (const auto& operation : kOperations) {
    if (in_compute && (subgroups.operations & operation.bit) != 0) continue;
    if (!missing.empty()) missing += ", ";
    missing += operation.name;
  }
  return missing;
}

DeviceSupport support_of(const DeviceFacts& facts) {
  DeviceSupport support;
  std::vector<std::string>& missing = support.missing;
  if (facts.api_version < VK_API_VERSION_1_2) {
    missing.push_back(facts.device_version < VK_API_VERSION_1_2
                          ? "Vulkan 1.2: the device offers " + version_words(facts.device_version)
                          : "Vulkan 1.2: the instance was created for " + version_words(facts.api_version));
  }
  if (!facts.compute_queue) missing.push_back("a queue family with compute");
  const uint32_t invocations =
      std::min(facts.limits.maxComputeWorkGroupInvocations, facts.limits.maxComputeWorkGroupSize[0]);
  if (invocations < kMinWorkgroupInvocations) {
    missing.push_back("workgroups of " + std::to_string(kMinWorkgroupInvocations) +
                      " invocations: the device's hold at most " + std::to_string(invocations));
  }
  if (facts.limits.maxComputeSharedMemorySize < kMinSharedMemoryBytes) {
    missing.push_back(std::to_string(kMinSharedMemoryBytes) + " bytes of shared memory: the device has " +
                      std::to_string(facts.limits.maxComputeSharedMemorySize));
  }
  if (facts.limits.maxPushConstantsSize < kPushConstantBytes) {
    missing.push_back(std::to_string(kPushConstantBytes) + " bytes of push constants: the device has " +
                      std::to_string(facts.limits.maxPushConstantsSize));
  }
  if (facts.api_version < VK_API_VERSION_1_2) return support;

  const FeatureSet& has = facts.features;
  if (!has.buffer_device_address) missing.push_back("bufferDeviceAddress: kernels reach buffers by address");

  std::vector<std::string>& absent = support.absent;
  if (!has.int64) absent.push_back("shaderInt64: items of type u64 and i64 are unavailable");
  if (!has.float64) absent.push_back("shaderFloat64: items of type f64 are unavailable");
  if (!has.buffer_int64_atomics) {
    absent.push_back(
        "shaderBufferInt64Atomics with shaderInt64: look_back is unavailable except in RadixSort; automatic takes "
        "reduce_then_scan");
  }
  if (const std::string operations = missing_subgroup_operations(facts.subgroups); !operations.empty()) {
    absent.push_back("subgroup operations " + operations +
                     " in compute shaders: subgroups are emulated in shared memory, which is slower");
  } else if (subgroup_size_varies(facts) && !has.subgroup_size_control) {
    absent.push_back(
        "subgroupSizeControl, on a device that varies its subgroup size: subgroups are emulated in shared memory, "
        "which is slower");
  }
  if (facts.size_control_extension && has.subgroup_size_control)
    support.extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  return support;
}

}  // namespace weft::runtime
