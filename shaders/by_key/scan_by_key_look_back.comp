// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan by key in one dispatch: workgroup number k combines tile k and publishes its segment; then it scans tile k -
// lag, as in scan_look_back.comp. The fallback pass scans deferred tiles row by row.
//
// A call whose items fit one tile has no scratch and no look-back.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "by_key/scan_by_key_tile.glsl"
#define WEFT_LOOK_BACK_FAST_PATH
#include "weft/look_back.glsl"

Segment look_back_aggregate(uint tile) { return tile_segment_by_rows(push_tile(push_range(), tile), 1u); }

void look_back_finish(uint tile, Segment prefix) {
  const SegmentTile segments = push_tile(push_range(), tile);
  Segment aggregate;
  const Segment subgroups_before = workgroup_exclusive_of_subgroups(segments_total_by_rows(segments), 0u, aggregate);
  scan_by_key_store_by_rows(segments, combine(prefix, subgroups_before));
}

void main() {
  if (kFallbackPass) {
    look_back_fallback(LookBack(push.scratch, push.tile_capacity), push_initial());
    return;
  }
  const TileRange range = push_range();
  const LookBack state = LookBack(push.scratch, push.tile_capacity);
  const bool alone = push.scratch == uvec2(0u);
  const uint lag = alone ? 0u : push.lag;

  const uint ticket = alone ? 0u : look_back_ticket(state);
  const bool scans = ticket >= lag && tile_exists(range, ticket - lag);
  const SegmentTile tile = push_tile(range, ticket - lag);
  const bool fast = scan_by_key_is_fast(tile);
  TileWords words;
  TileKeys keys;
  if (scans && fast) segment_tile_load(tile, words, keys);

  const bool combines = !alone && tile_exists(range, ticket);
  if (combines) look_back_publish_tile(state, ticket, tile_segment(push_tile(range, ticket), 1u));
  if (!scans) {
    if (combines) look_back_close_block(state, ticket);
    return;
  }

  HeldSegments held;
  Segment own;
  if (fast)
    own = scan_by_key_total(tile, words, keys, held);
  else
    own = segments_total_by_rows(tile);
  Segment aggregate;
  const Segment subgroups_before = workgroup_exclusive_of_subgroups(own, 0u, aggregate);
  if (combines) look_back_close_block(state, ticket);
  Segment prefix = push_initial();
  if (!alone && !look_back_prefix(state, ticket - lag, push_initial(), prefix)) return;
  prefix = combine(prefix, subgroups_before);
  if (fast)
    scan_by_key_store(tile, held, prefix);
  else
    scan_by_key_store_by_rows(tile, prefix);
}
