// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scans the tiles that scan_look_back.comp gave up because a predecessor was late; mostly there are none. Each workgroup takes a run of
// them, so that all but its first find a prefix near, and each tile row by row.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_LOOK_BACK_REPAIR
#include "weft/look_back.glsl"
#include "weft/tile_scan.glsl"
#include "primitives/scan.h"

layout(push_constant, std430) uniform Push { ScanPush push; };

TileRange scan_range() { return tile_range(count_of(push.count, push.count_words, push.count_value), push.head); }

Accumulator look_back_aggregate(uint tile) {
  return tile_aggregate_by_rows(tile_scan_of(push.items, push.outputs, scan_range(), tile), 1u);
}

void main() {
  const LookBack state = LookBack(push.scratch, push.tile_capacity);
  if (look_back_counters(state).given_up == 0u) return;
  const TileRange range = scan_range();
  const uvec2 share = look_back_repair_share(state);
  for (uint i = share.x; i < share.y; ++i) {
    const uint tile = look_back_list(state).at[i];
    const Accumulator prefix = look_back_prefix(state, tile, accumulator_of_bits(push.initial));
    TileScan scan = tile_scan_of(push.items, push.outputs, range, tile);
    Accumulator aggregate;
    const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(tile_total_by_rows(scan), 0u, aggregate);
    tile_scan_store_by_rows(scan, combine(prefix, subgroups_before));
    barrier();
  }
}
