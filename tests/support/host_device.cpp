// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/host_device.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>

#include "support/device.hpp"
#include "support/environment.hpp"

namespace weft::test {
namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL fail_on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  ADD_FAIL_CHECK_AT(__FILE__, __LINE__, std::string(data->pMessage));
  return VK_FALSE;
}

}  // namespace

ScopedVariable::ScopedVariable(const char* name, const char* value) : name_(name) {
  const char* before = std::getenv(name);
  was_set_ = before != nullptr;
  if (was_set_) before_ = before;
  set_variable(name, value);
}

ScopedVariable::~ScopedVariable() { set_variable(name_.c_str(), was_set_ ? before_.c_str() : nullptr); }

HostInstance::HostInstance(uint32_t api_version)
    : get_instance_proc_addr_(loader_entry_point()), api_version_(api_version) {
  REQUIRE((get_instance_proc_addr_ != nullptr));
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get_instance_proc_addr_(nullptr, "vkCreateInstance"));
  const auto enumerate_extensions = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      get_instance_proc_addr_(nullptr, "vkEnumerateInstanceExtensionProperties"));
  uint32_t extension_count = 0;
  REQUIRE(enumerate_extensions(nullptr, &extension_count, nullptr) == VK_SUCCESS);
  std::vector<VkExtensionProperties> extensions(extension_count);
  REQUIRE(enumerate_extensions(nullptr, &extension_count, extensions.data()) == VK_SUCCESS);
  const char* debug_utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  bool has_debug_utils = false;
  for (const VkExtensionProperties& extension : extensions)
    has_debug_utils |= std::strcmp(extension.extensionName, debug_utils) == 0;

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = api_version;
  VkDebugUtilsMessengerCreateInfoEXT messenger_info{};
  messenger_info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger_info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger_info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger_info.pfnUserCallback = fail_on_message;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (has_debug_utils) {
    info.pNext = &messenger_info;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &debug_utils;
  }
  REQUIRE(create(&info, nullptr, &instance_) == VK_SUCCESS);
  if (has_debug_utils) {
    REQUIRE(function<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(
                instance_, &messenger_info, nullptr, &messenger_) == VK_SUCCESS);
  }

  // The device that weft::Gpu would open.
  const std::string& wanted = first_backend().gpu().info().name;
  uint32_t device_count = 0;
  const auto enumerate = function<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
  REQUIRE(enumerate(instance_, &device_count, nullptr) == VK_SUCCESS);
  std::vector<VkPhysicalDevice> devices(device_count);
  REQUIRE(enumerate(instance_, &device_count, devices.data()) == VK_SUCCESS);
  const auto properties_of = function<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties");
  for (VkPhysicalDevice device : devices) {
    VkPhysicalDeviceProperties properties{};
    properties_of(device, &properties);
    if (physical_device_ == VK_NULL_HANDLE && wanted == properties.deviceName) physical_device_ = device;
  }
  REQUIRE((physical_device_ != VK_NULL_HANDLE));

  const auto families_of =
      function<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties");
  uint32_t family_count = 0;
  families_of(physical_device_, &family_count, nullptr);
  std::vector<VkQueueFamilyProperties> families(family_count);
  families_of(physical_device_, &family_count, families.data());
  while (queue_family_ < family_count && (families[queue_family_].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0)
    ++queue_family_;
  REQUIRE(queue_family_ < family_count);
}

HostInstance::~HostInstance() {
  if (messenger_ != VK_NULL_HANDLE) {
    function<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT")(instance_, messenger_, nullptr);
  }
  function<PFN_vkDestroyInstance>("vkDestroyInstance")(instance_, nullptr);
}

DeviceFeatures HostInstance::query() const {
  auto features = DeviceFeatures::query(instance_, physical_device_, get_instance_proc_addr_, api_version_);
  REQUIRE(features.ok());
  return *std::move(features);
}

bool HostInstance::has_int64() const {
  VkPhysicalDeviceFeatures features{};
  function<PFN_vkGetPhysicalDeviceFeatures>("vkGetPhysicalDeviceFeatures")(physical_device_, &features);
  return features.shaderInt64 == VK_TRUE;
}

bool HostInstance::has_float64() const {
  VkPhysicalDeviceFeatures features{};
  function<PFN_vkGetPhysicalDeviceFeatures>("vkGetPhysicalDeviceFeatures")(physical_device_, &features);
  return features.shaderFloat64 == VK_TRUE;
}

DeviceRequest::DeviceRequest(const HostInstance& host) {
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = host.queue_family();
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
}

HostDevice::HostDevice(const HostInstance& host, const VkDeviceCreateInfo& info)
    : host_(host), get_device_proc_addr_(host.function<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr")) {
  const auto create = host.function<PFN_vkCreateDevice>("vkCreateDevice");
  REQUIRE(create(host.physical_device(), &info, nullptr, &device_) == VK_SUCCESS);
}

HostDevice::~HostDevice() { function<PFN_vkDestroyDevice>("vkDestroyDevice")(device_, nullptr); }

ContextConfig HostDevice::config(const VkDeviceCreateInfo& info) const {
  ContextConfig config;
  config.instance = host_.handle();
  config.physical_device = host_.physical_device();
  config.device = device_;
  config.get_instance_proc_addr = host_.get_instance_proc_addr();
  config.api_version = host_.api_version();
  config.device_create_info = &info;
  config.debug_utils = host_.has_debug_utils();
  return config;
}

}  // namespace weft::test
