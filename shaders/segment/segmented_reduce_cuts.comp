// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of SegmentedReduce: an invocation for each tile but the first finds where it begins.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"

const uint kTileItems = kWorkgroupSize;  // of weft/tile_range.glsl, whose tiles are not used
#include "weft/tile_range.glsl"
#include "segment/segmented_path.glsl"

void main() {
  const SegmentedItems all = segmented_items();
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint tile = group * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane() + 1u;
  if (!path_tile_exists(all, tile)) return;
  const PathCut cut = path_search(all, word64_multiply(tile, kTileUnits));
  Words4(push.cuts).at[tile] = uvec4(cut.segments, cut.items);
}
