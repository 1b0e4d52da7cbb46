// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of compaction by reduce-then-scan: each workgroup leaves the counts of its run of tiles in partials.
//
// After the include of what a tile is: select_tile.glsl or run_length_encode_tile.glsl.
#ifndef WEFT_COMPACT_UPSWEEP_GLSL
#define WEFT_COMPACT_UPSWEEP_GLSL

#include "weft/partials.glsl"

void main() {
  const TileRange range = select_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  Accumulator counts = identity();
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!select_tile_exists(range, first_tile + i)) break;
    counts = combine(counts, compact_take(select_tile_of(range, first_tile + i)));
  }
  Accumulator total;
  workgroup_exclusive_of_subgroups(counts, 0u, total);
  if (gl_LocalInvocationIndex == 0u) partials_store(select_state(), gl_WorkGroupID.x, total);
}

#endif
