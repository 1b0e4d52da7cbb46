// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Compacts in one dispatch. Workgroup number k counts tile k and posts the counts; then it moves the items of tile k - lag, which it
// reads again from the device's cache (scan_look_back.comp tells why). A call whose items fit one tile does not look back.
//
// Behind the include of what a tile is: select_tile.glsl or run_length_encode_tile.glsl.
#ifndef WEFT_COMPACT_LOOK_BACK_GLSL
#define WEFT_COMPACT_LOOK_BACK_GLSL

void main() {
  const TileRange range = select_range();
  const LookBack state = LookBack(select_state(), push.chunk_tiles);
  const bool alone = push.chunk_tiles == 1u;
  const uint lag = alone ? 0u : push.tiles_or_lag;

  const uint ticket = alone ? 0u : look_back_ticket(state);
  if (ticket == 0u) select_write_none(range);
  const bool moves = ticket >= lag && select_tile_exists(range, ticket - lag);
  const SelectTile tile = select_tile_of(range, ticket - lag);
  SelectHeld held;
  if (moves) select_fetch(tile, held);

  const bool counts = select_tile_exists(range, ticket);
  Accumulator prefix = identity();
  Accumulator before, total;
  if (counts) {
    const Accumulator share = compact_share(select_tile_of(range, ticket));
    if (!alone) look_back_post_share(state, ticket, share);
    before = workgroup_exclusive_of_subgroups(share, 0u, total);
    if (!alone) look_back_post_tile(state, ticket, total);
  }
  if (counts && !alone) look_back_close_block(state, ticket);
  if (!moves) return;
  if (!alone && !look_back_prefix(state, ticket - lag, prefix, before, total)) return;
  compact_tile(range, tile, held, prefix, before, total);
}

#endif
