// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A Vulkan loader with chosen functions replaced, to watch what weft calls and to make drivers fail as they rarely do.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace weft::test {

/// A string as a template argument.
template <size_t size>
struct FunctionName {
  constexpr FunctionName(const char (&literal)[size]) {
    for (size_t i = 0; i < size; ++i) text[i] = literal[i];
  }
  char text[size];
};

namespace shim {

/// What a replaced function is: the driver's own, and what is called instead.
template <FunctionName name, class Function>
struct Replaced;

template <FunctionName name, class Return, class... Args>
struct Replaced<name, Return(VKAPI_PTR*)(Args...)> {
  using Function = Return(VKAPI_PTR*)(Args...);
  static inline Function real = nullptr;
  static inline std::function<Return(Function, Args...)> instead;

  static VKAPI_ATTR Return VKAPI_CALL call(Args... args) { return instead ? instead(real, args...) : real(args...); }
  static PFN_vkVoidFunction install(PFN_vkVoidFunction found) {
    real = reinterpret_cast<Function>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(&call);
  }
};

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char* name);

}  // namespace shim

/// The system's loader as seen through get_instance_proc_addr(). Functions are replaced for as long as the VulkanShim
/// lives; there is one at a time, and it serves one device, since the real functions are kept per name.
class VulkanShim {
 public:
  VulkanShim();
  ~VulkanShim();
  VulkanShim(const VulkanShim&) = delete;
  VulkanShim& operator=(const VulkanShim&) = delete;

  PFN_vkGetInstanceProcAddr get_instance_proc_addr() const { return shim::get_instance_proc_addr; }

  /// Calls `instead(real, args...)` for the function. To be set before weft loads its functions; what it does may
  /// depend on what it captures.
  template <FunctionName name, class Function, class Instead>
  void replace(Instead instead) {
    using Entry = shim::Replaced<name, Function>;
    Entry::instead = std::move(instead);
    installers_[name.text] = Entry::install;
    resets_.push_back([] { Entry::instead = nullptr; });
  }

 private:
  friend PFN_vkVoidFunction shim::get_instance_proc_addr(VkInstance, const char*);
  friend PFN_vkVoidFunction shim::get_device_proc_addr(VkDevice, const char*);
  PFN_vkVoidFunction replaced(const char* name, PFN_vkVoidFunction real) const;

  std::map<std::string, PFN_vkVoidFunction (*)(PFN_vkVoidFunction)> installers_;
  std::vector<void (*)()> resets_;
};

#define WEFT_REPLACE(shim_object, function, ...) (shim_object).replace<#function, PFN_##function>(__VA_ARGS__)

}  // namespace weft::test
