// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of reduce-then-scan for reduce by key; the first is scan_by_key_upsweep.comp. Each workgroup folds the
// partials before its own and writes the runs of its tiles, carrying.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "by_key/reduce_by_key_tile.glsl"
#include "weft/partials.glsl"

void main() {
  const TileRange range = push_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  if (!tile_exists(range, first_tile)) {
    if (first_tile == 0u && gl_LocalInvocationIndex == 0u) put_count(0u);
    return;
  }

  Segment carry = partials_reduce(push.scratch, gl_WorkGroupID.x, 1u);
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!tile_exists(range, first_tile + i)) break;
    const SegmentTile tile = push_tile(range, first_tile + i);
    TileWords words;
    TileKeys keys;
    RunsBefore before;
    Segment own;
    if (tile.loadable) {
      segment_tile_load(tile, words, keys);
      own = runs_total(tile, words, keys, before);
    } else {
      own = segments_total_by_rows(tile);
    }
    Segment aggregate;
    const Segment subgroups_before = workgroup_exclusive_of_subgroups(own, i & 1u, aggregate);
    if (tile.loadable) stage(words, keys, before, subgroups_before);
    barrier();
    put_tile(tile, tile.loadable, carry, subgroups_before, aggregate);
    carry = combine(carry, aggregate);
  }
}
