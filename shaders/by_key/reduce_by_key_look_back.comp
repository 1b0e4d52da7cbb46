// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Reduce by key in one dispatch: workgroup number k combines tile k and publishes its segment; then it writes the runs
// of tile k - lag, as in scan_look_back.comp. The fallback pass writes the runs of deferred tiles row by row.
//
// A call whose items fit one tile has no scratch and no look-back.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "by_key/reduce_by_key_tile.glsl"
#define WEFT_LOOK_BACK_FAST_PATH
#include "weft/look_back.glsl"

Segment look_back_aggregate(uint tile) { return tile_segment_by_rows(push_tile(push_range(), tile), 1u); }

void look_back_finish(uint tile, Segment prefix) {
  const SegmentTile segments = push_tile(push_range(), tile);
  Segment aggregate;
  const Segment subgroups_before = workgroup_exclusive_of_subgroups(segments_total_by_rows(segments), 0u, aggregate);
  put_tile(segments, false, prefix, subgroups_before, aggregate);
}

void main() {
  if (kFallbackPass) {
    look_back_fallback(LookBack(push.scratch, push.tile_capacity), segment_identity());
    return;
  }
  const TileRange range = push_range();
  const LookBack state = LookBack(push.scratch, push.tile_capacity);
  const bool alone = push.scratch == uvec2(0u);
  const uint lag = alone ? 0u : push.lag;

  const uint ticket = alone ? 0u : look_back_ticket(state);
  const bool writes = ticket >= lag && tile_exists(range, ticket - lag);
  const SegmentTile tile = push_tile(range, ticket - lag);
  TileWords words;
  TileKeys keys;
  if (writes && tile.loadable) segment_tile_load(tile, words, keys);

  const bool combines = !alone && tile_exists(range, ticket);
  if (combines) look_back_publish_tile(state, ticket, tile_segment(push_tile(range, ticket), 1u));
  if (!writes) {
    if (combines) look_back_close_block(state, ticket);
    if (ticket == 0u && !tile_exists(range, 0u) && gl_LocalInvocationIndex == 0u) put_count(0u);
    return;
  }

  RunsBefore before;
  Segment own;
  if (tile.loadable)
    own = runs_total(tile, words, keys, before);
  else
    own = segments_total_by_rows(tile);
  Segment aggregate;
  const Segment subgroups_before = workgroup_exclusive_of_subgroups(own, 0u, aggregate);
  if (tile.loadable) stage(words, keys, before, subgroups_before);
  if (combines) look_back_close_block(state, ticket);
  Segment prefix = segment_identity();
  if (alone)
    barrier();
  else if (!look_back_prefix(state, ticket - lag, segment_identity(), prefix))
    return;
  put_tile(tile, tile.loadable, prefix, subgroups_before, aggregate);
}
