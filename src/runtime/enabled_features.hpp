// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "runtime/device_facts.hpp"

namespace weft::runtime {

/// What a VkDevice was created with, as its VkDeviceCreateInfo says.
FeatureSet enabled_features(const VkDeviceCreateInfo& info);

/// The same as its host states it. Errors: invalid_argument (a feature that the device lacks, or that comes with an
/// extension which is not stated).
Result<FeatureSet> stated_features(const EnabledFeatures& stated, const DeviceFacts& facts);

}  // namespace weft::runtime
