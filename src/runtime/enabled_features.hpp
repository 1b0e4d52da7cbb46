// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "runtime/device_facts.hpp"

namespace weft::runtime {

/// What a VkDevice was created with, as its VkDeviceCreateInfo says.
FeatureSet enabled_features(const VkDeviceCreateInfo& info);

}  // namespace weft::runtime
