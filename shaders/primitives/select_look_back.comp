// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Selects in one dispatch. Workgroup number k counts tile k and posts the counts; then it moves the items of tile k - lag, which it
// reads again from the device's cache (scan_look_back.comp tells why). A call whose items fit one tile does not look back.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/look_back.glsl"
#include "primitives/select_tile.glsl"

void main() {
  const TileRange range = select_range();
  const LookBack state = LookBack(select_state(), push.chunk_tiles);
  const bool alone = push.chunk_tiles == 1u;
  const uint lag = alone ? 0u : push.tiles_or_lag;

  const uint ticket = alone ? 0u : look_back_ticket(state);
  if (ticket == 0u) select_write_none(range);
  const bool moves = ticket >= lag && select_tile_exists(range, ticket - lag);
  const SelectTile tile = select_tile_of(range, ticket - lag);
  SelectWords words;
  if (moves) select_fetch(tile, words);

  const bool counts = !alone && select_tile_exists(range, ticket);
  if (counts) look_back_post_tile(state, ticket, select_aggregate(select_tile_of(range, ticket), 1u));
  if (!moves) {
    if (counts) look_back_close_block(state, ticket);
    return;
  }

  const SelectMasks masks = select_masks(tile, words);
  const SelectRanks ranks = select_ranks(masks);
  select_stage_first(tile, words, masks, ranks);
  if (counts) look_back_close_block(state, ticket);
  Accumulator prefix = identity();
  if (alone)
    barrier();
  else if (!look_back_prefix(state, ticket - lag, identity(), prefix))
    return;
  const SelectTargets targets = select_targets(range, tile, prefix);
  select_finish(tile, words, masks, ranks, targets);
  select_hand_on(range, tile, ranks, targets);
}
