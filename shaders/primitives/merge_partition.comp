// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of Merge: an invocation for each tile finds how many keys of A are in front of it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/merge_ranges.glsl"

WEFT_MERGE_PATH(MergeInputs)

void main() {
  const uint a = count_a();
  const uint b = count_b();
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint tile = group * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane();
  if (tile > tile_count(a + b)) return;
  const MergeInputs inputs = MergeInputs(push.keys_a, push.keys_b);
  Words(push.splits).at[tile] = merge_path_split(inputs, tile_begin(tile, a + b), a, b);
}
