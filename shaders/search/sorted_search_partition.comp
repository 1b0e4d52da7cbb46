// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of SortedSearch: four lanes for each tile find how many needles are before it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "search/sorted_search_tiles.glsl"
#include "weft/lanes_merge_path.glsl"

WEFT_LANES_MERGE_PATH(MergeRanges)

void main() {
  const uint needles = needle_count();
  const uint haystack = haystack_count();
  const uint total = needles + haystack;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint tile = group * (kWorkgroupSize / kMergePathLanes) + position / kMergePathLanes;
  const MergeRanges ranges = MergeRanges(push.needles, push.haystack, kMergeEqualFromA);
  const uint split = lanes_merge_path_split(ranges, tile_begin(tile, total), needles, haystack,
                                            min(push.needle_maximum, push.haystack_maximum));
  if (tile <= tile_count(total) && position % kMergePathLanes == 0u) Words(push.splits).at[tile] = split;
}
