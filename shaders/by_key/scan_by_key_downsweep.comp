// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of reduce-then-scan by key: each workgroup folds the partials before its own and scans its run tile by
// tile, carrying.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "by_key/scan_by_key_tile.glsl"
#include "weft/partials.glsl"

void main() {
  const TileRange range = push_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  if (!tile_exists(range, first_tile)) return;

  Segment carry = combine(push_initial(), partials_reduce(push.scratch, gl_WorkGroupID.x, 1u));
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!tile_exists(range, first_tile + i)) break;
    const SegmentTile tile = push_tile(range, first_tile + i);
    const bool fast = scan_by_key_is_fast(tile);
    HeldSegments held;
    Segment own;
    if (fast) {
      TileWords words;
      TileKeys keys;
      segment_tile_load(tile, words, keys);
      own = scan_by_key_total(tile, words, keys, held);
    } else {
      own = segments_total_by_rows(tile);
    }
    Segment aggregate;
    const Segment subgroups_before = workgroup_exclusive_of_subgroups(own, i & 1u, aggregate);
    const Segment prefix = combine(carry, subgroups_before);
    if (fast)
      scan_by_key_store(tile, held, prefix);
    else
      scan_by_key_store_by_rows(tile, prefix);
    carry = combine(carry, aggregate);
  }
}
