// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of SortedSearch: an invocation for each tile finds how many needles are in front of it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/sorted_search_tiles.glsl"
#include "weft/merge_path.glsl"

void main() {
  const uint needles = needle_count();
  const uint haystack = haystack_count();
  const uint total = needles + haystack;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint tile = group * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane();
  if (tile > tile_count(total)) return;
  const MergeRanges ranges = MergeRanges(push.needles, push.haystack, kMergeEqualFromA);
  Words(push.splits).at[tile] = merge_path_split(ranges, tile_begin(tile, total), needles, haystack);
}
