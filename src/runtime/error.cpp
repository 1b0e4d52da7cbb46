// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/error.hpp"

#include <string>

namespace weft::runtime {
namespace {

// The results that the functions weft calls may return; another one is shown as its number.
const char* name_of(VkResult result) noexcept {
  switch (result) {
#define WEFT_NAME(name) \
  case name: return #name;
    WEFT_NAME(VK_NOT_READY)
    WEFT_NAME(VK_TIMEOUT)
    WEFT_NAME(VK_INCOMPLETE)
    WEFT_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    WEFT_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    WEFT_NAME(VK_ERROR_INITIALIZATION_FAILED)
    WEFT_NAME(VK_ERROR_DEVICE_LOST)
    WEFT_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    WEFT_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    WEFT_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    WEFT_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    WEFT_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    WEFT_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    WEFT_NAME(VK_ERROR_FRAGMENTED_POOL)
    WEFT_NAME(VK_ERROR_UNKNOWN)
    WEFT_NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    WEFT_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    WEFT_NAME(VK_ERROR_FRAGMENTATION)
    WEFT_NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
    WEFT_NAME(VK_ERROR_INVALID_SHADER_NV)
#undef WEFT_NAME
    default: return nullptr;
  }
}

}  // namespace

Error error_of(VkResult result, const char* what) {
  const std::string call = what;
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return {ErrorCode::out_of_host_memory, call + ": the host is out of memory"};
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return {ErrorCode::out_of_device_memory, call + ": the device is out of memory"};
    case VK_ERROR_DEVICE_LOST: return {ErrorCode::device_lost, call + ": the device is lost"};
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT: return {ErrorCode::missing_feature, call + " failed with " + name_of(result)};
    default: break;
  }
  const char* name = name_of(result);
  return {ErrorCode::driver_error,
          call + " failed with " + (name != nullptr ? std::string(name) : "VkResult " + std::to_string(result))};
}

}  // namespace weft::runtime
