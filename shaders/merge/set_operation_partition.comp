// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of SetOperation: a lane for each tile finds where it begins, and one where the last ends.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "merge/set_operation_tiles.glsl"

void main() {
  const uint a = count_a();
  const uint b = count_b();
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint tile = group * kWorkgroupSize + tile_lane();
  if (tile > tile_count(a + b)) return;
  const BalancedCut cut = balanced_path_split(TileInputs(push.keys_a, push.keys_b), tile_begin(tile, a + b), a, b);
  Words cuts = Words(push.scratch);
  cuts.at[2u * tile] = cut.a;
  cuts.at[2u * tile + 1u] = cut.b;
}
