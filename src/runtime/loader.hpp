// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vulkan/vulkan_core.h>

namespace weft::runtime {

/// vkGetInstanceProcAddr of the system's Vulkan loader; null where there is none. The loader stays in the process:
/// drivers leave threads and thread-local destructors behind that must not lose their code.
PFN_vkGetInstanceProcAddr system_get_instance_proc_addr() noexcept;

}  // namespace weft::runtime
