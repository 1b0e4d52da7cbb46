// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of compaction by reduce-then-scan. Each workgroup combines the counts of those before its own, which the
// first left over the same split, and moves the items of its run tile by tile.
//
// After the include of what a tile is: select_tile.glsl or run_length_encode_tile.glsl.
#ifndef WEFT_COMPACT_DOWNSWEEP_GLSL
#define WEFT_COMPACT_DOWNSWEEP_GLSL

#include "weft/partials.glsl"

void main() {
  const TileRange range = select_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  if (gl_WorkGroupID.x == 0u) select_write_none(range);
  if (!select_tile_exists(range, first_tile)) return;

  Accumulator prefix = partials_reduce(select_state(), gl_WorkGroupID.x, 1u);
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!select_tile_exists(range, first_tile + i)) break;
    const SelectTile tile = select_tile_of(range, first_tile + i);
    Accumulator total;
    const Accumulator before = workgroup_exclusive_of_subgroups(compact_take(tile), i & 1u, total);
    compact_tile(range, tile, prefix, before, total);
    prefix = combine(prefix, total);
  }
}

#endif
