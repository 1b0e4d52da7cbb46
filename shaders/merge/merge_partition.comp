// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of Merge and SortedSearch: four lanes for each tile find how many keys of A are before it.
// family: merge_partition
#version 460
#extension GL_GOOGLE_include_directive : require
#include "merge/merge_ranges.glsl"
#include "merge/merge_inputs.glsl"
#include "weft/lanes_merge_path.glsl"

WEFT_LANES_MERGE_PATH(MergeInputs)

void main() {
  const uint a = count_a();
  const uint b = count_b();
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint tile = group * (kWorkgroupSize / kMergePathLanes) + position / kMergePathLanes;
  const MergeInputs inputs = MergeInputs(push.keys_a, push.keys_b);
  const uint diagonal = tile_begin(tile, a + b);
  const uint split = lanes_merge_path_split(inputs, diagonal, a, b, min(push.maximum_a, push.maximum_b));
  if (tile <= tile_count(a + b) && position % kMergePathLanes == 0u) Words(push.splits).at[tile] = split;
}
