// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of Merge: four lanes for each tile find how many keys of A are in front of it. The search waits for memory at every step,
// and takes half as many as one lane alone would, at twice the probes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/merge_ranges.glsl"
#include "primitives/merge_split.glsl"

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
