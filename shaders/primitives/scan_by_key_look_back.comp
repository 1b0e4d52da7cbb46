// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan by key in one dispatch: workgroup number k combines tile k and posts its segment; then it scans tile k - lag, as in
// scan_look_back.comp.
//
// A call whose items fit one tile has no scratch and no look-back.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/scan_by_key_tile.glsl"
#define WEFT_LOOK_BACK_AT_SIGHT
#include "weft/look_back.glsl"

void main() {
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
  if (combines) look_back_post_tile(state, ticket, tile_segment(push_tile(range, ticket), 1u));
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
