// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vulkan/vulkan_core.h>

namespace weft::vk {

// Every instance function weft calls. The second list is absent on Vulkan 1.0, the third without VK_EXT_debug_utils.
#define WEFT_INSTANCE_FUNCTIONS_1_0(X)    \
  X(vkCreateDevice)                       \
  X(vkDestroyInstance)                    \
  X(vkEnumerateDeviceExtensionProperties) \
  X(vkEnumeratePhysicalDevices)           \
  X(vkGetDeviceProcAddr)                  \
  X(vkGetPhysicalDeviceMemoryProperties)  \
  X(vkGetPhysicalDeviceProperties)        \
  X(vkGetPhysicalDeviceQueueFamilyProperties)

#define WEFT_INSTANCE_FUNCTIONS_1_1(X) \
  X(vkGetPhysicalDeviceFeatures2)      \
  X(vkGetPhysicalDeviceProperties2)

#define WEFT_INSTANCE_FUNCTIONS_DEBUG_UTILS(X) \
  X(vkCreateDebugUtilsMessengerEXT)            \
  X(vkDestroyDebugUtilsMessengerEXT)

/// The instance functions weft calls, for one VkInstance.
struct InstanceTable {
#define WEFT_DECLARE(name) PFN_##name name = nullptr;
  WEFT_INSTANCE_FUNCTIONS_1_0(WEFT_DECLARE)
  WEFT_INSTANCE_FUNCTIONS_1_1(WEFT_DECLARE)
  WEFT_INSTANCE_FUNCTIONS_DEBUG_UTILS(WEFT_DECLARE)
#undef WEFT_DECLARE
};

/// False where the instance lacks a function of Vulkan 1.0; the others are null where it lacks them.
bool load_instance_table(InstanceTable& table, VkInstance instance,
                         PFN_vkGetInstanceProcAddr get_instance_proc_addr) noexcept;

}  // namespace weft::vk
