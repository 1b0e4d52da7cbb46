// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vulkan/vulkan_core.h>

#include <weft/export.h>
#include <weft/status.hpp>

#include "runtime/caught.hpp"

namespace weft::runtime {

/// VkResult as an Error; `what` says what failed, e.g. "vkCreateBuffer".
WEFT_API Error error_of(VkResult result, const char* what);

}  // namespace weft::runtime
