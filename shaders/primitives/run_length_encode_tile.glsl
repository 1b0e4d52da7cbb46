// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Run-length encoding of a tile: the heads of runs are selected, and a run's length is written by the tile in which the next run
// begins. What is open at a tile's beginning, the start of the last run before it, comes with the counts: what is combined and
// posted is (runs begun, place of the last one). The range's last tile writes the length of its last run.
#ifndef WEFT_RUN_LENGTH_ENCODE_TILE_GLSL
#define WEFT_RUN_LENGTH_ENCODE_TILE_GLSL

#include "primitives/run_length_encode.h"
#include "primitives/select_tile.glsl"

void encode_store(uvec2 target, uint index, uvec2 value) {
  Words words = Words(target);
  words.at[index * kIndexWords] = value.x;
  if (kIndexWords == 2u) words.at[2u * index + 1u] = value.y;
}

// Runs whose heads' places are staged: `rank` runs begin before the first of them, the last of these at `open`.
void encode_flush(uvec2 rank, uint count, uvec2 first_place, uvec2 open) {
  const uvec2 offsets = word64_add(push.indices_1, word64_times(rank, kIndexWords * 4u));
  const bool is_first = rank == uvec2(0u);
  // Of the runs that end here the first stands one in front.
  const uvec2 lengths = word64_subtract(word64_add(push.indices_0, word64_times(rank, kIndexWords * 4u)),
                                        uvec2(is_first ? 0u : kIndexWords * 4u, 0u));
  for (uint i = gl_LocalInvocationIndex; i < count; i += kWorkgroupSize) {
    const uvec2 start = word64_add(first_place, weft_select_stage[i]);
    if (push.indices_1 != uvec2(0u)) encode_store(offsets, i, start);
    if (push.indices_0 != uvec2(0u) && !(is_first && i == 0u)) {
      uvec2 previous = open;
      if (i != 0u) previous = word64_add(first_place, weft_select_stage[i - 1u]);
      encode_store(lengths, is_first ? i - 1u : i, word64_subtract(start, previous));
    }
  }
}

void compact_tile(TileRange range, SelectTile tile, SelectWords words, SelectMasks masks, SelectRanks ranks,
                  Accumulator prefix) {
  uvec2 before, carried_open;
  select_carried(before, carried_open);
  before = word64_add(before, prefix.x);
  // Index of place 1 of the chunk, less 1.
  const uvec2 chunk_first = word64_subtract(word64_multiply(push.first_tile, kTileItems), uvec2(range.head, 0u));
  const uvec2 first_place = word64_subtract(word64_multiply(tile.index, kTileItems), uvec2(range.head, 0u));
  const uvec2 open = prefix.y != 0u ? word64_add(chunk_first, prefix.y - 1u) : carried_open;

  const uint staged = ranks.total.x;
  [[unroll]] for (uint pass = 0u; pass < 2u; ++pass) {
    if (pass < kFirstPass || pass >= kPasses) continue;
    const uint entries = stage_entries(pass == 0u);
    uvec2 round_open = open;
    for (uint from = 0u; from == 0u || (kTileItems > entries && from < staged); from += entries) {
      if (from != 0u || pass != kFirstPass) {
        if (from != 0u && pass == 1u) round_open = word64_add(first_place, weft_select_stage[entries - 1u]);
        barrier();
        select_stage(tile, words, masks, ranks, pass == 0u, from);
        barrier();
      }
      const uint count = min(staged - min(from, staged), entries);
      const uvec2 rank = word64_add(before, from);
      if (pass == 0u)
        select_flush_values(word64_add(push.out_0, word64_times(rank, WEFT_ITEM_BYTES)), 0u, count);
      else
        encode_flush(rank, count, first_place, round_open);
    }
  }

  const uint next = tile.index - push.first_tile + 1u;
  if (select_tile_exists(range, next) || gl_LocalInvocationIndex != 0u) return;
  const uvec2 runs = word64_add(before, ranks.total.x);
  const uvec2 last = ranks.total.y != 0u ? word64_add(chunk_first, ranks.total.y - 1u) : open;
  Words carry = Words(push.scratch);
  const uint to = 4u - select_carry_from();
  carry.at[to] = runs.x;
  carry.at[to + 1u] = runs.y;
  carry.at[to + 2u] = last.x;
  carry.at[to + 3u] = last.y;
  select_write_counts(runs, uvec2(0u), uvec2(0u));
  // Later chunks, where there are tiles in them, write it anew.
  if (push.indices_0 != uvec2(0u)) {
    const uvec2 length = word64_subtract(word64_subtract(range.end, uvec2(range.head, 0u)), last);
    encode_store(word64_add(push.indices_0, word64_times(word64_subtract(runs, uvec2(1u, 0u)), kIndexWords * 4u)), 0u,
                 length);
  }
}

#endif
