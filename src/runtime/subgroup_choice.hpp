// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string_view>

#include "runtime/device_facts.hpp"

namespace weft::runtime {

/// How weft's kernels of one Context use subgroups.
struct SubgroupChoice {
  SubgroupBackend backend = SubgroupBackend::emulated;  ///< never automatic
  uint32_t size = 0;
  bool pin = false;   ///< the device varies its size: require `size` of every pipeline
  bool full = false;  ///< require full subgroups of pipelines whose workgroup is a multiple of `size`
};

/// A backend and a size (0: the best), as a host or WEFT_SUBGROUPS asks for.
struct SubgroupRequest {
  SubgroupBackend backend = SubgroupBackend::automatic;
  uint32_t size = 0;
};

/// Reads "native", "native:SIZE", "emulated" or "emulated:SIZE". Errors: invalid_argument, which lists those.
Result<SubgroupRequest> parse_subgroup_request(std::string_view text);

/// `enabled`: what the host turned on. Errors: invalid_argument (size not a power of two from 4 to 128),
/// missing_feature (the backend or size asked for is not available, and why).
Result<SubgroupChoice> choose_subgroups(const DeviceFacts& facts, const FeatureSet& enabled,
                                        const SubgroupRequest& request);

}  // namespace weft::runtime
