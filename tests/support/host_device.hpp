// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A host program's own Vulkan, for weft to adopt: it calls Vulkan itself and knows nothing of weft::Gpu.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include <weft/context.hpp>

namespace weft::test {

/// Sets a variable of the environment, or unsets it (null), until destroyed.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
  std::string before_;
  bool was_set_;
};

/// A VkInstance and the device under test. Messages of validation layers fail the running test.
class HostInstance {
 public:
  explicit HostInstance(uint32_t api_version = VK_API_VERSION_1_3);
  ~HostInstance();
  HostInstance(const HostInstance&) = delete;
  HostInstance& operator=(const HostInstance&) = delete;

  VkInstance handle() const { return instance_; }
  /// The device under test, as first_backend() has it.
  VkPhysicalDevice physical_device() const { return physical_device_; }
  uint32_t queue_family() const { return queue_family_; }
  uint32_t api_version() const { return api_version_; }
  bool has_debug_utils() const { return messenger_ != VK_NULL_HANDLE; }
  PFN_vkGetInstanceProcAddr get_instance_proc_addr() const { return get_instance_proc_addr_; }

  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(get_instance_proc_addr_(instance_, name));
  }

  /// What weft can use of the device.
  DeviceFeatures query() const;
  bool has_int64() const;
  bool has_float64() const;

 private:
  PFN_vkGetInstanceProcAddr get_instance_proc_addr_;
  uint32_t api_version_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
};

/// A VkDeviceCreateInfo for one queue and nothing else; complete it, then give it to HostDevice.
struct DeviceRequest {
  explicit DeviceRequest(const HostInstance& host);
  DeviceRequest(const DeviceRequest&) = delete;
  DeviceRequest& operator=(const DeviceRequest&) = delete;

  float priority = 1.0F;
  VkDeviceQueueCreateInfo queue{};
  VkDeviceCreateInfo info{};
};

/// A VkDevice of the host's.
class HostDevice {
 public:
  /// With what is in `info`. A failure fails the running test and ends it.
  HostDevice(const HostInstance& host, const VkDeviceCreateInfo& info);
  ~HostDevice();
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;

  VkDevice handle() const { return device_; }
  /// For Context::create. `info` must still be there.
  ContextConfig config(const VkDeviceCreateInfo& info) const;

  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(get_device_proc_addr_(device_, name));
  }

 private:
  const HostInstance& host_;
  PFN_vkGetDeviceProcAddr get_device_proc_addr_;
  VkDevice device_ = VK_NULL_HANDLE;
};

/// A host's device with everything weft can use, and what it was made from.
struct Adopted {
  explicit Adopted(const HostInstance& host) : features(host.query()), request(host) {
    request.info.enabledExtensionCount = static_cast<uint32_t>(features.support().extensions.size());
    request.info.ppEnabledExtensionNames = features.support().extensions.data();
    features.extend(request.info);
    device = std::make_unique<HostDevice>(host, request.info);
  }
  ContextConfig config() const { return device->config(request.info); }

  DeviceFeatures features;
  DeviceRequest request;
  std::unique_ptr<HostDevice> device;
};

}  // namespace weft::test
