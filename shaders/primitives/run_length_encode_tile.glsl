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

// `count` runs whose heads' places are staged: `rank` runs begin before the first of them, the last of these at `open`.
void encode_flush(uvec2 rank, uint count, uvec2 first_place, uvec2 open) {
  const uint first = stage_first(false);
  const uvec2 offsets = word64_add(push.indices_1, word64_times(rank, kIndexWords * 4u));
  const bool is_first = rank == uvec2(0u);
  // Of the runs that end here the first stands one in front.
  const uvec2 lengths = word64_subtract(word64_add(push.indices_0, word64_times(rank, kIndexWords * 4u)),
                                        uvec2(is_first ? 0u : kIndexWords * 4u, 0u));
  for (uint i = subgroup_lane(); i < count; i += kSubgroupSize) {
    const uvec2 start = word64_add(first_place, weft_select_stage[first + i]);
    if (push.indices_1 != uvec2(0u)) encode_store(offsets, i, start);
    if (push.indices_0 != uvec2(0u) && !(is_first && i == 0u)) {
      uvec2 previous = open;
      if (i != 0u) previous = word64_add(first_place, weft_select_stage[first + i - 1u]);
      encode_store(lengths, is_first ? i - 1u : i, word64_subtract(start, previous));
    }
  }
}

void encode_row(SelectTile tile, uvec2 first_place, SelectMasks masks, SelectRanks ranks, uint row_index,
                uint words[WEFT_VECTOR_INPUT_WORDS], inout uvec2 rank, inout uvec2 open) {
  const SelectRow row = select_row_of(tile, ranks, row_index);
  [[unroll]] for (uint pass = 0u; pass < 2u; ++pass) {
    const bool values = pass == 0u;
    if (values ? !kMovesTested : kIndexWords == 0u) continue;
    for (uint from = 0u; from < kRowItems; from += stage_entries(values)) {
#if !WEFT_SUBGROUP_EMULATED
      if (from >= row.first) break;
#endif
      select_stage(tile, masks, ranks, row, values, from, words);
      subgroup_shared_barrier();
      const uint count = min(row.first - min(from, row.first), stage_entries(values));
      const uvec2 at = word64_add(rank, from);
      if (values)
        select_flush_values(word64_add(push.out_0, word64_times(at, WEFT_ITEM_BYTES)), 0u, count);
      else
        encode_flush(at, count, first_place, open);
      if (!values && count != 0u)
        open = word64_add(first_place, weft_select_stage[stage_first(false) + count - 1u]);
      subgroup_shared_barrier();
    }
  }
  rank = word64_add(rank, row.first);
}

void compact_tile(TileRange range, SelectTile tile, SelectWords words, SelectMasks masks, SelectRanks ranks,
                  Accumulator prefix) {
  uvec2 before, carried_open;
  select_carried(before, carried_open);
  before = word64_add(before, prefix.x);
  // The index of the chunk's place 1, less 1.
  const uvec2 chunk_first = word64_subtract(word64_multiply(push.first_tile, kTileItems), uvec2(range.head, 0u));
  const uvec2 first_place = word64_subtract(word64_multiply(tile.index, kTileItems), uvec2(range.head, 0u));

  uvec2 rank = word64_add(before, ranks.before.x);
  const uint last = max(prefix.y, ranks.before.y);
  uvec2 open = last != 0u ? word64_add(chunk_first, last - 1u) : carried_open;
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  if (tile.fast) {
#define WEFT_ENCODE_ROW(i)                                                      \
  if (i < kRows) {                                                              \
    vector_unpack(words.row_##i, vector);                                       \
    encode_row(tile, first_place, masks, ranks, i, vector, rank, open);         \
  }
    WEFT_FOR_SELECT_ROWS(WEFT_ENCODE_ROW)
#undef WEFT_ENCODE_ROW
  } else {
    [[dont_unroll]] for (uint row = 0u; row < kRows; ++row) {
      if (kMovesTested) tile_load_vector(tile.source, tile.present, tile_vector(row), vector);
      encode_row(tile, first_place, masks, ranks, row, vector, rank, open);
    }
  }

  const uint next = tile.index - push.first_tile + 1u;
  if (select_tile_exists(range, next) || gl_LocalInvocationIndex != 0u) return;
  const uvec2 runs = word64_add(before, ranks.total.x);
  const uint last_place = max(prefix.y, ranks.total.y);
  const uvec2 last_open = last_place != 0u ? word64_add(chunk_first, last_place - 1u) : carried_open;
  Words carry = Words(push.scratch);
  const uint to = 4u - select_carry_from();
  carry.at[to] = runs.x;
  carry.at[to + 1u] = runs.y;
  carry.at[to + 2u] = last_open.x;
  carry.at[to + 3u] = last_open.y;
  select_write_counts(runs, uvec2(0u), uvec2(0u));
  // Later chunks, where there are tiles in them, write it anew.
  if (push.indices_0 != uvec2(0u)) {
    const uvec2 length = word64_subtract(word64_subtract(range.end, uvec2(range.head, 0u)), last_open);
    encode_store(word64_add(push.indices_0, word64_times(word64_subtract(runs, uvec2(1u, 0u)), kIndexWords * 4u)), 0u,
                 length);
  }
}

#endif
