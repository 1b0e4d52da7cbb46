# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds the Vulkan headers and defines Vulkan::Headers. No loader is needed to build against them.
# Installed beside weftConfig.cmake, for the headers are weft's one public dependency.
if(TARGET Vulkan::Headers)
  set(VulkanHeaders_FOUND TRUE)
  return()
endif()

find_path(VulkanHeaders_INCLUDE_DIR vulkan/vulkan_core.h HINTS "$ENV{VULKAN_SDK}/include")
mark_as_advanced(VulkanHeaders_INCLUDE_DIR)

if(VulkanHeaders_INCLUDE_DIR)
  set(vulkan_core "${VulkanHeaders_INCLUDE_DIR}/vulkan/vulkan_core.h")
  file(STRINGS "${vulkan_core}" line REGEX "^#define VK_HEADER_VERSION [0-9]+$")
  string(REGEX MATCH "[0-9]+$" patch "${line}")
  file(STRINGS "${vulkan_core}" line REGEX "^#define VK_HEADER_VERSION_COMPLETE ")
  string(REGEX MATCH "([0-9]+), *([0-9]+), *VK_HEADER_VERSION" line "${line}")
  set(VulkanHeaders_VERSION "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${patch}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(VulkanHeaders REQUIRED_VARS VulkanHeaders_INCLUDE_DIR
                                  VERSION_VAR VulkanHeaders_VERSION)

if(VulkanHeaders_FOUND)
  add_library(Vulkan::Headers INTERFACE IMPORTED)
  target_include_directories(Vulkan::Headers INTERFACE "${VulkanHeaders_INCLUDE_DIR}")
endif()
