// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of selecting by reduce-then-scan. Each workgroup adds up the counts of those before its own, which select_upsweep.comp
// left over the same split, and moves the items of its run tile by tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/select_tile.glsl"
#include "weft/partials.glsl"

void main() {
  const TileRange range = select_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_or_lag;
  if (gl_WorkGroupID.x == 0u) select_write_none(range);
  if (!select_tile_exists(range, first_tile)) return;

  Accumulator before = partials_reduce(select_state(), gl_WorkGroupID.x, 1u);
  for (uint i = 0u; i < push.tiles_or_lag; ++i) {
    if (!select_tile_exists(range, first_tile + i)) break;
    const SelectTile tile = select_tile_of(range, first_tile + i);
    SelectWords words;
    select_fetch(tile, words);
    const SelectMasks masks = select_masks(tile, words);
    // The barrier inside also keeps this tile's stage from overtaking the last one's.
    const SelectRanks ranks = select_ranks(masks);
    select_stage_first(tile, words, masks, ranks);
    barrier();
    const SelectTargets targets = select_targets(range, tile, before);
    select_finish(tile, words, masks, ranks, targets);
    select_hand_on(range, tile, ranks, targets);
    before = combine(before, ranks.total);
  }
}
