// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of Merge: four lanes for each tile find how many keys of A are in front of it. The search waits for memory at every step,
// and takes half as many as one lane alone would, at twice the probes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/merge_ranges.glsl"

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

void main() {
  const uint a = count_a();
  const uint b = count_b();
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint place = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint tile = group * (kWorkgroupSize / kProbes) + place / kProbes;
  const MergeInputs inputs = MergeInputs(push.keys_a, push.keys_b);
  const uint diagonal = tile_begin(tile, a + b);
  const uint split = lanes_split(inputs, diagonal, a, b, min(push.maximum_a, push.maximum_b));
  if (tile <= tile_count(a + b) && place % kProbes == 0u) Words(push.splits).at[tile] = split;
}
