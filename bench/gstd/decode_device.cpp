// SPDX-License-Identifier: MIT OR Apache-2.0
#include "decode_device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::bench {
namespace {

// weft::Gpu turns on what weft uses. What else its device shall have comes in between it and the loader: Vulkan's entry
// is handed to Gpu::open, and a vkCreateDevice from there that adds to what it is given. Vulkan's functions have no
// room for an argument of ours, so this is what they work on; it is written before the one open that uses it.
struct Loader {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  PFN_vkCreateDevice create_device = nullptr;
};
Loader loader;

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* given,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  std::vector<const char*> extensions(given->ppEnabledExtensionNames,
                                      given->ppEnabledExtensionNames + given->enabledExtensionCount);
  extensions.push_back(VK_NV_MEMORY_DECOMPRESSION_EXTENSION_NAME);
  VkPhysicalDeviceMemoryDecompressionFeaturesNV feature{};
  feature.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_DECOMPRESSION_FEATURES_NV;
  feature.pNext = const_cast<void*>(given->pNext);
  feature.memoryDecompression = VK_TRUE;
  VkDeviceCreateInfo info = *given;
  info.pNext = &feature;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  return loader.create_device(physical_device, &info, allocator, device);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction function = loader.get_instance_proc_addr(instance, name);
  if (function == nullptr || std::string_view(name) != "vkCreateDevice") return function;
  loader.create_device = reinterpret_cast<PFN_vkCreateDevice>(function);
  return reinterpret_cast<PFN_vkVoidFunction>(&create_device);
}

template <class F>
F function_of(const Gpu& gpu, const char* name) {
  return reinterpret_cast<F>(gpu.get_instance_proc_addr()(gpu.instance(), name));
}

bool has_extension(const Gpu& gpu) {
  const auto enumerate =
      function_of<PFN_vkEnumerateDeviceExtensionProperties>(gpu, "vkEnumerateDeviceExtensionProperties");
  uint32_t count = 0;
  if (enumerate(gpu.physical_device(), nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> extensions(count);
  if (enumerate(gpu.physical_device(), nullptr, &count, extensions.data()) != VK_SUCCESS) return false;
  return std::ranges::any_of(extensions, [](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, VK_NV_MEMORY_DECOMPRESSION_EXTENSION_NAME) == 0;
  });
}

// Why the extension cannot be enabled, or nothing.
std::string absence_of_driver(const Gpu& gpu) {
  if (!has_extension(gpu)) return gpu.info().name + " has no VK_NV_memory_decompression";
  VkPhysicalDeviceMemoryDecompressionFeaturesNV feature{};
  feature.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_DECOMPRESSION_FEATURES_NV;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &feature;
  function_of<PFN_vkGetPhysicalDeviceFeatures2>(gpu, "vkGetPhysicalDeviceFeatures2")(gpu.physical_device(), &features);
  if (feature.memoryDecompression == VK_FALSE) return gpu.info().name + " has no feature memoryDecompression";
  return {};
}

}  // namespace

Result<DecodeDevice> open_decode_device(const std::string& device, bool wants_driver) {
  GpuConfig config;
  config.device = device;
  auto plain = Gpu::open(config);
  if (!plain) return plain.error();
  for (const std::string& warning : plain->warnings()) std::fprintf(stderr, "weft-bench: %s\n", warning.c_str());
  DecodeDevice opened{*std::move(plain), std::nullopt, {}};
  if (!wants_driver) return opened;
  opened.driver_absent = absence_of_driver(opened.gpu);
  if (!opened.driver_absent.empty()) return opened;

  loader = {opened.gpu.get_instance_proc_addr(), nullptr};
  config.get_instance_proc_addr = &get_instance_proc_addr;
  auto extended = Gpu::open(config);
  if (!extended) return extended.error();
  opened.gpu = *std::move(extended);
  opened.driver = {.instance = opened.gpu.instance(),
                   .physical_device = opened.gpu.physical_device(),
                   .get_instance_proc_addr = opened.gpu.get_instance_proc_addr(),
                   .nv = true};
  return opened;
}

}  // namespace weft::bench
