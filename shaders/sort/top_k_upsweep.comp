// SPDX-License-Identifier: MIT OR Apache-2.0
//
// TopK: keys move by reduce-then-scan. First pass: each workgroup leaves the counts of its run of tiles in partials.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/top_k_tile.glsl"
#include "weft/partials.glsl"

void main() {
  const TileRange range = pass_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  uvec2 counts = identity();
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!tile_exists(range, first_tile + i)) break;
    counts = combine(counts, top_k_aggregate(pass_tile(range, first_tile + i)));
  }
  uvec2 total;
  workgroup_exclusive_of_subgroups(counts, 0u, total);
  if (gl_LocalInvocationIndex == 0u) partials_store(push.scratch, gl_WorkGroupID.x, total);
}
