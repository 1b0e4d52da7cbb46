// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of selecting by reduce-then-scan: each workgroup leaves the counts of its run of tiles in partials.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/select_tile.glsl"
#include "weft/partials.glsl"

void main() {
  const TileRange range = select_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_or_lag;
  Accumulator counts = identity();
  for (uint i = 0u; i < push.tiles_or_lag; ++i) {
    if (!select_tile_exists(range, first_tile + i)) break;
    const SelectTile tile = select_tile_of(range, first_tile + i);
    SelectWords words;
    select_fetch(tile, words);
    counts = combine(counts, select_counts(select_masks(tile, words)));
  }
  const Accumulator total = workgroup_reduce(counts, 0u);
  if (gl_LocalInvocationIndex == 0u) partials_store(select_state(), gl_WorkGroupID.x, total);
}
