// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First dispatch of a pass of MergeSort: four lanes for each tile find how many keys of the earlier of its two runs are
// before it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/merge_sort_ranges.glsl"
#include "merge/merge_inputs.glsl"
#include "weft/lanes_merge_path.glsl"

WEFT_LANES_MERGE_PATH(MergeInputs)

void main() {
  const uint total = merge_sort_count();
  const uint tiles = tile_count(total);
  const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * (kWorkgroupSize / kMergePathLanes);
  if (first >= tiles) return;
  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint tile = min(first + position / kMergePathLanes, tiles - 1u);
  const MergeSortPair pair = merge_sort_pair(tile, total);
  const MergeInputs inputs = MergeInputs(merge_key_address(push.keys, pair.begin),
                                         merge_key_address(push.keys, pair.begin + pair.count_a));
  const uint split =
      lanes_merge_path_split(inputs, tile * kTileItems - pair.begin, pair.count_a, pair.count_b, push.run);
  if (first + position / kMergePathLanes < tiles && position % kMergePathLanes == 0u)
    Words(push.splits).at[tile] = split;
}
