// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/vulkan_shim.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "support/device.hpp"

namespace weft::test {
namespace {

VulkanShim*& current() {
  static VulkanShim* shim = nullptr;
  return shim;
}

PFN_vkGetDeviceProcAddr& real_get_device_proc_addr() {
  static PFN_vkGetDeviceProcAddr function = nullptr;
  return function;
}

}  // namespace

VulkanShim::VulkanShim() {
  REQUIRE(current() == nullptr);
  current() = this;
}

VulkanShim::~VulkanShim() {
  for (void (*reset)() : resets_) reset();
  current() = nullptr;
}

PFN_vkVoidFunction VulkanShim::replaced(const char* name, PFN_vkVoidFunction real) const {
  const auto found = installers_.find(name);
  return real != nullptr && found != installers_.end() ? found->second(real) : real;
}

namespace shim {

PFN_vkVoidFunction get_device_proc_addr(VkDevice device, const char* name) {
  const PFN_vkVoidFunction real = real_get_device_proc_addr()(device, name);
  return current() != nullptr ? current()->replaced(name, real) : real;
}

PFN_vkVoidFunction get_instance_proc_addr(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction real = loader_entry_point()(instance, name);
  if (real != nullptr && std::string_view(name) == "vkGetDeviceProcAddr") {
    real_get_device_proc_addr() = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real);
    return reinterpret_cast<PFN_vkVoidFunction>(&get_device_proc_addr);
  }
  return current() != nullptr ? current()->replaced(name, real) : real;
}

}  // namespace shim
}  // namespace weft::test
