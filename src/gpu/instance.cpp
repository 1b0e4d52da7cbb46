// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gpu/instance.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/device_facts.hpp"
#include "runtime/error.hpp"
#include "runtime/loader.hpp"

namespace weft::runtime {
namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL pass_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* on_message) {
  // Drivers and layers call this: an exception must not pass through them.
  try {
    if (data->pMessage != nullptr) (*static_cast<GpuInstance::OnMessage*>(on_message))(data->pMessage);
  } catch (...) {
  }
  return VK_FALSE;
}

Result<std::vector<VkExtensionProperties>> instance_extensions(PFN_vkEnumerateInstanceExtensionProperties enumerate) {
  std::vector<VkExtensionProperties> extensions;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    uint32_t count = 0;
    result = enumerate(nullptr, &count, nullptr);
    if (result != VK_SUCCESS) break;
    extensions.resize(count);
    result = enumerate(nullptr, &count, extensions.data());
    extensions.resize(count);
  }
  if (result != VK_SUCCESS) return error_of(result, "vkEnumerateInstanceExtensionProperties");
  return extensions;
}

GpuKind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return GpuKind::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return GpuKind::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return GpuKind::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return GpuKind::software;
    default: return GpuKind::other;
  }
}

// Lower is better.
int rank_of(GpuKind kind) {
  switch (kind) {
    case GpuKind::discrete: return 0;
    case GpuKind::integrated: return 1;
    case GpuKind::virtual_gpu: return 2;
    case GpuKind::other: return 3;
    case GpuKind::software: return 4;
  }
  return 3;
}

}  // namespace

Result<std::unique_ptr<GpuInstance>> GpuInstance::create(PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                                                         OnMessage on_message, const std::vector<std::string>& wanted) {
  if (get_instance_proc_addr == nullptr) get_instance_proc_addr = system_get_instance_proc_addr();
  if (get_instance_proc_addr == nullptr)
    return Error{ErrorCode::not_found, "this machine has no Vulkan loader (libvulkan.so.1, vulkan-1.dll)"};

  const auto enumerate_version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(
      get_instance_proc_addr(VK_NULL_HANDLE, "vkEnumerateInstanceVersion"));
  const auto enumerate_extensions = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      get_instance_proc_addr(VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties"));
  const auto create_instance =
      reinterpret_cast<PFN_vkCreateInstance>(get_instance_proc_addr(VK_NULL_HANDLE, "vkCreateInstance"));
  if (enumerate_extensions == nullptr || create_instance == nullptr)
    return Error{ErrorCode::not_found, "the Vulkan loader has no vkCreateInstance"};
  uint32_t loader_version = VK_API_VERSION_1_0;
  if (enumerate_version != nullptr) {
    if (const VkResult result = enumerate_version(&loader_version); result != VK_SUCCESS)
      return error_of(result, "vkEnumerateInstanceVersion");
  }
  if (loader_version < VK_API_VERSION_1_1)
    return Error{ErrorCode::missing_feature, "the Vulkan loader is of version 1.0; weft needs 1.1 or later"};

  const auto available = instance_extensions(enumerate_extensions);
  if (!available) return available.error();
  std::vector<const char*> enabled;
  const auto enable = [&](const char* name) {
    const bool found = std::ranges::any_of(*available, [&](const VkExtensionProperties& extension) {
      return std::strcmp(extension.extensionName, name) == 0;
    });
    if (found) enabled.push_back(name);
    return found;
  };

  std::unique_ptr<GpuInstance> self(new GpuInstance);
  self->get_instance_proc_addr_ = get_instance_proc_addr;
  self->api_version_ = std::min<uint32_t>(loader_version, VK_API_VERSION_1_3);
  self->on_message_ = std::move(on_message);

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "weft";
  application.apiVersion = self->api_version_;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (enable(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME))
    info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;

  // Messages of the loader itself (type GENERAL) are left out: it warns of drivers that are not used.
  VkDebugUtilsMessengerCreateInfoEXT messenger_info{};
  messenger_info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger_info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger_info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger_info.pfnUserCallback = pass_message;
  messenger_info.pUserData = &self->on_message_;
  const bool listens = self->on_message_ && enable(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (listens) info.pNext = &messenger_info;  // for messages of creating and destroying the instance
  for (const std::string& name : wanted) {
    const bool is_enabled = std::ranges::any_of(enabled, [&](const char* one) { return name == one; });
    if (is_enabled || enable(name.c_str())) self->extra_.push_back(name);
  }
  info.enabledExtensionCount = static_cast<uint32_t>(enabled.size());
  info.ppEnabledExtensionNames = enabled.data();

  VkResult result = create_instance(&info, nullptr, &self->instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return Error{ErrorCode::not_found, "this machine has a Vulkan loader and no Vulkan driver"};
  if (result != VK_SUCCESS) return error_of(result, "vkCreateInstance");
  if (!vk::load_instance_table(self->table_, self->instance_, get_instance_proc_addr))
    return Error{ErrorCode::driver_error, "the Vulkan loader lacks functions of Vulkan 1.0"};
  if (listens && self->table_.vkCreateDebugUtilsMessengerEXT != nullptr) {
    result = self->table_.vkCreateDebugUtilsMessengerEXT(self->instance_, &messenger_info, nullptr, &self->messenger_);
    if (result != VK_SUCCESS) return error_of(result, "vkCreateDebugUtilsMessengerEXT");
  }
  return self;
}

GpuInstance::~GpuInstance() {
  if (messenger_ != VK_NULL_HANDLE) table_.vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  if (table_.vkDestroyInstance != nullptr) table_.vkDestroyInstance(instance_, nullptr);
}

Result<std::vector<ListedGpu>> GpuInstance::list() const {
  std::vector<VkPhysicalDevice> handles;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    uint32_t count = 0;
    result = table_.vkEnumeratePhysicalDevices(instance_, &count, nullptr);
    if (result != VK_SUCCESS) break;
    handles.resize(count);
    result = table_.vkEnumeratePhysicalDevices(instance_, &count, handles.data());
    handles.resize(count);
  }
  // A driver that finds none of its hardware may say so in this way.
  if (result == VK_ERROR_INITIALIZATION_FAILED)
    handles.clear();
  else if (result != VK_SUCCESS)
    return error_of(result, "vkEnumeratePhysicalDevices");

  std::vector<ListedGpu> list;
  for (VkPhysicalDevice handle : handles) {
    auto facts = query_device_facts(instance_, handle, get_instance_proc_addr_, api_version_);
    if (!facts) return facts.error();
    VkPhysicalDeviceMemoryProperties memory{};
    table_.vkGetPhysicalDeviceMemoryProperties(handle, &memory);

    ListedGpu gpu;
    gpu.handle = handle;
    gpu.info.name = facts->name;
    gpu.info.driver = facts->driver;
    gpu.info.kind = kind_of(facts->type);
    gpu.info.vendor_id = facts->vendor_id;
    gpu.info.device_id = facts->device_id;
    gpu.info.api_version = facts->device_version;
    gpu.info.uuid = facts->device_uuid;
    for (uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
      if ((memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
        gpu.info.device_local_bytes = std::max(gpu.info.device_local_bytes, memory.memoryHeaps[heap].size);
    }
    gpu.info.subgroup_size = facts->subgroups.size;
    gpu.info.support = support_of(*facts);
    list.push_back(std::move(gpu));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const ListedGpu& a, const ListedGpu& b) { return rank_of(a.info.kind) < rank_of(b.info.kind); });
  for (uint32_t index = 0; index < list.size(); ++index) list[index].info.index = index;
  return list;
}

}  // namespace weft::runtime
