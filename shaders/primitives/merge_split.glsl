// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The search for where tiles of a merge begin: merge_path_split() by few lanes for each tile. merge_key.glsl is included before.
#ifndef WEFT_PRIMITIVES_MERGE_SPLIT_GLSL
#define WEFT_PRIMITIVES_MERGE_SPLIT_GLSL

#include "weft/merge_path.glsl"
#include "weft/subgroup.glsl"

// Two sequences, whole.
struct MergeInputs {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(MergeInputs inputs, uint a, uint b) {
  return !merge_key_less(merge_key_at(merge_key_address(inputs.keys_b, b), 0u),
                         merge_key_at(merge_key_address(inputs.keys_a, a), 0u));
}

const uint kProbes = 4;

// As merge_path_split(), for each four lanes. `most`: what the cut's range is at most, the same in all of the workgroup.
uint lanes_split(MergeInputs inputs, uint diagonal, uint count_a, uint count_b, uint most) {
  const uint lane = subgroup_lane();
  uint low = diagonal - min(diagonal, count_b);
  uint left = min(diagonal, count_a) - low;
  // At most 16 steps.
  for (; most != 0u; most /= kProbes) {
    const uint stride = left / kProbes + 1u;
    const uint probe = (lane % kProbes + 1u) * stride - 1u;
    bool a_first = false;
    if (probe < left) a_first = merge_path_a_first(inputs, low + probe, diagonal - 1u - low - probe);
    const uint bits = subgroup_ballot(a_first)[lane >> 5] >> (lane & 31u & ~(kProbes - 1u));
    const uint passed = uint(bitCount(bits & ((1u << kProbes) - 1u))) * stride;
    low += passed;
    left = min(left - passed, stride - 1u);
  }
  return low;
}

#endif
