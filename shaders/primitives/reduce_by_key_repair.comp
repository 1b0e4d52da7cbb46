// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Writes the runs of the tiles that reduce_by_key_look_back.comp gave up because a predecessor was late; mostly there are none. Each
// workgroup takes a run of them, and each tile row by row, as in scan_repair.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_LOOK_BACK_REPAIR
#include "primitives/reduce_by_key_tile.glsl"
#include "weft/look_back.glsl"

Segment look_back_aggregate(uint tile) { return tile_segment_by_rows(push_tile(push_range(), tile), 1u); }

void main() {
  const LookBack state = LookBack(push.scratch, push.tile_capacity);
  if (look_back_counters(state).given_up == 0u) return;
  const TileRange range = push_range();
  const uvec2 share = look_back_repair_share(state);
  for (uint i = share.x; i < share.y; ++i) {
    const uint index = look_back_list(state).at[i];
    const Segment prefix = look_back_prefix(state, index, segment_identity());
    const SegmentTile tile = push_tile(range, index);
    Segment aggregate;
    const Segment subgroups_before = workgroup_exclusive_of_subgroups(segments_total_by_rows(tile), 0u, aggregate);
    put_tile(tile, false, prefix, subgroups_before, aggregate);
    barrier();
  }
}
