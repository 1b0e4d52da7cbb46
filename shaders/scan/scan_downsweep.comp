// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of reduce-then-scan. The first, scan_upsweep.comp over the same split, left the aggregate of each
// workgroup's run of tiles in partials. Each workgroup folds the partials before its own and scans its run tile by
// tile, carrying.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/tile_scan.glsl"
#include "weft/partials.glsl"
#include "scan/scan.h"

layout(push_constant, std430) uniform Push { ScanPush push; };

void main() {
  const TileRange range = tile_range(count_of(push.count, push.count_words, push.count_value), push.head);
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  if (!tile_exists(range, first_tile)) return;

  Accumulator carry = accumulator_of_bits(push.initial);
  carry = combine(carry, partials_reduce(push.scratch, gl_WorkGroupID.x, 1u));

  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    const uint tile = first_tile + i;
    if (!tile_exists(range, tile)) break;
    const TileScan scan = tile_scan_of(push.items, push.outputs, range, tile);
    TileWords words;
    TileHeld held;
    tile_scan_fetch(scan, words);
    const Accumulator own_total = scan.fast ? tile_scan_total(words, held) : tile_total_by_rows(scan);
    Accumulator aggregate;
    const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(own_total, i & 1u, aggregate);
    const Accumulator prefix = combine(carry, subgroups_before);
    if (scan.fast)
      tile_scan_store(scan, held, prefix);
    else
      tile_scan_store_by_rows(scan, prefix);
    carry = combine(carry, aggregate);
  }
}
