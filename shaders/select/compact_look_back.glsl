// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Compacts in one dispatch. Workgroup number k counts tile k and publishes the counts; it holds the tile until those of
// all before it are published, and moves its items. A call whose items fit one tile does not look back. The fallback
// pass moves the items of deferred tiles, which it reads again.
//
// After the include that defines a tile: select_move.glsl or run_length_encode_tile.glsl.
#ifndef WEFT_COMPACT_LOOK_BACK_GLSL
#define WEFT_COMPACT_LOOK_BACK_GLSL

// Deferred tiles are not read as vectors: the code is smaller.
SelectTile deferred_tile_of(uint index) {
  SelectTile tile = select_tile_of(select_range(), index);
  tile.fast = false;
  return tile;
}

Accumulator look_back_aggregate(uint index) {
  Accumulator aggregate;
  workgroup_exclusive_of_subgroups(compact_take(deferred_tile_of(index)), 1u, aggregate);
  return aggregate;
}

void look_back_finish(uint index, Accumulator prefix) {
  const SelectTile tile = deferred_tile_of(index);
  Accumulator total;
  const Accumulator before = workgroup_exclusive_of_subgroups(compact_take(tile), 0u, total);
  compact_count_ahead();
  compact_tile(select_range(), tile, prefix, before, total);
}

void main() {
  if (kFallbackPass) {
    look_back_fallback(LookBack(select_state(), push.chunk_tiles), identity());
    return;
  }
  const TileRange range = select_range();
  const LookBack state = LookBack(select_state(), push.chunk_tiles);
  const bool alone = push.chunk_tiles == 1u;
  const uint ticket = alone ? 0u : look_back_ticket(state);
  if (ticket == 0u) select_write_none(range);
  if (!select_tile_exists(range, ticket)) return;
  const SelectTile tile = select_tile_of(range, ticket);
  Accumulator total;
  const Accumulator before = workgroup_exclusive_of_subgroups(compact_take(tile), 0u, total);
  if (!alone) look_back_publish_tile(state, ticket, total);
  if (!alone) look_back_close_block(state, ticket);
  compact_count_ahead();
  Accumulator prefix = identity();
  if (!alone && !look_back_prefix(state, ticket, identity(), prefix)) return;
  compact_tile(range, tile, prefix, before, total);
}

#endif
