// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of SetOperation: each workgroup leaves how many outputs its tiles have.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "merge/set_operation_tiles.glsl"

void main() {
  const uint total = count_a() + count_b();
  const uint tiles = tile_count(total);
  const uint first_tile = gl_WorkGroupID.x * push.group_tiles;
  uint own = 0u;
  for (uint i = 0u; i < push.group_tiles; ++i) {
    if (first_tile + i >= tiles) break;
    const SetTile tile = workgroup_load_tile(first_tile + i, total);
    uint words[kSetKeys];
    uint positions[kSetKeys];
    own += uint(bitCount(tile_walk(tile, words, positions)));
  }
  uint outputs;
  workgroup_exclusive_add(own, outputs);
  if (gl_LocalInvocationIndex == 0u) tile_sums().at[gl_WorkGroupID.x] = outputs;
}
