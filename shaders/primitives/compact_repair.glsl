// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Moves the items of the tiles that the look-back dispatch gave up because a predecessor was late; mostly there are none.
//
// Behind the include of what a tile is: select_tile.glsl or run_length_encode_tile.glsl.
#ifndef WEFT_COMPACT_REPAIR_GLSL
#define WEFT_COMPACT_REPAIR_GLSL

Accumulator look_back_aggregate(uint tile) {
  Accumulator aggregate;
  SelectTile missing = select_tile_of(select_range(), tile);
  missing.fast = false;
  workgroup_exclusive_of_subgroups(compact_share(missing), 1u, aggregate);
  return aggregate;
}

void main() {
  const LookBack state = LookBack(select_state(), push.chunk_tiles);
  if (look_back_counters(state).given_up == 0u) return;
  const TileRange range = select_range();
  const uvec2 share = look_back_repair_share(state);
  for (uint i = share.x; i < share.y; ++i) {
    const uint index = look_back_list(state).at[i];
    const Accumulator prefix = look_back_prefix(state, index, identity());
    SelectTile tile = select_tile_of(range, index);
    tile.fast = false;
    SelectHeld held;
    Accumulator total;
    const Accumulator before = workgroup_exclusive_of_subgroups(compact_share(tile), 0u, total);
    compact_tile(range, tile, held, prefix, before, total);
    barrier();
  }
}

#endif
