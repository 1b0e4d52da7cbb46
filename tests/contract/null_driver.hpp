// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A Vulkan driver that computes nothing: objects are numbers, and commands are counted. For what weft does on the host,
// fast and on every machine. It allocates by malloc alone.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace weft::test::null_driver {

/// For GpuConfig and ContextConfig. There is one device: discrete, of Vulkan 1.3, with all that weft can use.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* name);

/// Objects that were created and not destroyed, instances and devices included.
int64_t live_objects();

/// Commands that were recorded into any command buffer.
uint64_t recorded_commands();
/// Questions about the memory or the address of a buffer.
uint64_t buffer_queries();
/// Dispatches among them, but for indirect ones.
uint64_t recorded_dispatches();

/// Labels of VK_EXT_debug_utils that were begun.
uint64_t begun_labels();
/// Those that were not ended.
uint64_t open_labels();
/// Dispatches in one label, "weft <primitive>: <kernel>", of a pipeline whose name is "weft <kernel>".
uint64_t labelled_dispatches();
/// What <primitive> is from now on.
void expect_labels_of(const char* primitive);

}  // namespace weft::test::null_driver
