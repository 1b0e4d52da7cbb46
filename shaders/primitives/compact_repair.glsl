// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Moves the items of the tiles that the look-back dispatch gave up because a predecessor was late; mostly there are none.
//
// Behind the include of what a tile is: select_tile.glsl or run_length_encode_tile.glsl.
#ifndef WEFT_COMPACT_REPAIR_GLSL
#define WEFT_COMPACT_REPAIR_GLSL

Accumulator look_back_aggregate(uint tile) {
  return select_aggregate_by_rows(select_tile_of(select_range(), tile), 1u);
}

void main() {
  const LookBack state = LookBack(select_state(), push.chunk_tiles);
  const uint given_up = look_back_counters(state).given_up;
  if (given_up == 0u) return;
  const TileRange range = select_range();
  const uint workgroups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  const uint share = (given_up + workgroups - 1u) / workgroups;
  const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * share;
  for (uint i = first; i < min(first + share, given_up); ++i) {
    const uint index = look_back_list(state).at[i];
    const Accumulator prefix = look_back_prefix(state, index, identity());
    SelectTile tile = select_tile_of(range, index);
    tile.fast = false;
    SelectWords words;
    const SelectMasks masks = select_masks_by_rows(tile);
    const SelectRanks ranks = select_ranks(tile, masks, 0u);
    compact_tile(range, tile, words, masks, ranks, prefix);
    barrier();
  }
}

#endif
