// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Run-length encoding of a tile: the heads of runs are selected, and a run's length is written by the tile in which the next run
// begins. What is open at a tile's beginning, the start of the last run before it, comes with the counts: what is combined and
// posted is (runs begun, place of the last one). The range's last tile writes the length of its last run.
#ifndef WEFT_RUN_LENGTH_ENCODE_TILE_GLSL
#define WEFT_RUN_LENGTH_ENCODE_TILE_GLSL

#include "primitives/run_length_encode.h"
#include "primitives/select_direct.glsl"
#include "primitives/select_staged.glsl"

const bool kLengths = (kMove & 4u) != 0u;
const bool kOffsets = (kMove & 8u) != 0u;

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
    if (kOffsets) encode_store(offsets, i, start);
    if (kLengths && !(is_first && i == 0u)) {
      uvec2 previous = open;
      if (i != 0u) previous = word64_add(first_place, weft_select_stage[first + i - 1u]);
      encode_store(lengths, is_first ? i - 1u : i, word64_subtract(start, previous));
    }
  }
}

#ifdef WEFT_SELECT_DIRECT

// Where a subgroup's runs go.
struct EncodeTargets {
  uvec2 symbols;
  uvec2 lengths;  // of the run before the subgroup's first
  uvec2 offsets;
  bool is_first;  // no run begins before the subgroup's
  uint rank;      // of the subgroup's runs
  // Where the run before a row began. As a place in the tile, modulo 2^32 where lengths have a word; with lengths of two,
  // kOpenBefore stands for all that lies before the subgroup, and `open_before` is the index.
  uint open;
  uvec2 open_before;
};
const uint kOpenBefore = ~0u;

void encode_row_direct(SelectTile tile, uvec2 first_place, uint place, SelectWord word, bool full,
                       inout SelectWord carried, inout EncodeTargets targets) {
  const bool head = direct_run_head(tile, place, word, full, carried) && (full || place_is_present(tile, place));
  const uvec4 heads = subgroup_ballot(head);
  const uint rank = targets.rank + subgroup_rank(heads);
  const uint row_first = place - subgroup_lane();
  const uint begin = subgroup_highest_before(heads, row_first, targets.open);
  if (kMovesTested) {
    SelectItems symbols = SelectItems(targets.symbols);
    if (head) symbols.at[rank] = word;
  }
  if (kOffsets && head) encode_store(targets.offsets, rank, word64_add(first_place, place));
  // The run before ends here.
  const bool ends = head && !(targets.is_first && rank == 0u);
  if (kIndexWords == 2u) {
    const uvec2 length = begin == kOpenBefore ? word64_subtract(word64_add(first_place, place), targets.open_before)
                                              : uvec2(place - begin, 0u);
    if (kLengths && ends) encode_store(targets.lengths, rank, length);
  } else {
    if (kLengths && ends) encode_store(targets.lengths, rank, uvec2(place - begin, 0u));
  }
  targets.open = ballot_highest_bit_from(heads, row_first, targets.open);
  targets.rank += ballot_bit_count(heads);
}

Accumulator compact_share(SelectTile tile) { return direct_share(tile); }

#define SelectHeld SelectPart
void select_fetch(SelectTile tile, inout SelectPart words) {
  if (tile.fast) part_load(tile, 0u, words);
}

void encode_subgroup(SelectTile tile, uvec2 first_place, SelectPart first_part, uvec2 rank, uvec2 open) {
  EncodeTargets targets;
  targets.symbols = word64_add(push.out_0, word64_times(rank, WEFT_ITEM_BYTES));
  targets.lengths = word64_subtract(word64_add(push.indices_0, word64_times(rank, kIndexWords * 4u)),
                                    uvec2(kIndexWords * 4u, 0u));
  targets.offsets = word64_add(push.indices_1, word64_times(rank, kIndexWords * 4u));
  targets.is_first = rank == uvec2(0u);
  targets.rank = 0u;
  targets.open = kIndexWords == 2u ? kOpenBefore : open.x - first_place.x;
  targets.open_before = open;
  SelectWord carried = direct_before(tile);
  if (tile.fast) {
    SelectPart words = first_part;
    [[dont_unroll]] for (uint part = 0u; part < kParts; ++part) {
      if (part != 0u) part_load(tile, part, words);
#define WEFT_ENCODE_ROW(i)                                                                                       \
  encode_row_direct(tile, first_place, part_place(part) + i * kSubgroupSize, words.row_##i, true, carried, targets);
      WEFT_FOR_PART_ROWS(WEFT_ENCODE_ROW)
#undef WEFT_ENCODE_ROW
    }
  } else {
    [[dont_unroll]] for (uint row = 0u; row < kLaneItems; ++row) {
      const uint place = part_place(0u) + row * kSubgroupSize;
      encode_row_direct(tile, first_place, place, direct_item(tile, place), false, carried, targets);
    }
  }
}

#else

Accumulator compact_share(SelectTile tile) { return select_share(tile); }

#define SelectHeld SelectWords
void select_fetch(SelectTile tile, inout SelectWords words) { select_load(tile, words); }

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

void encode_subgroup(SelectTile tile, uvec2 first_place, SelectWords words, uvec2 rank, uvec2 open) {
  const SelectMasks masks = select_masks(tile, words);
  const SelectRanks ranks = select_ranks(masks);
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
}

#endif

void compact_tile(TileRange range, SelectTile tile, SelectHeld held, Accumulator prefix, Accumulator subgroups_before,
                  Accumulator total) {
  uvec2 before, carried_open;
  select_carried(before, carried_open);
  before = word64_add(before, prefix.x);
  // The index of the chunk's place 1, less 1.
  const uvec2 chunk_first = word64_subtract(word64_multiply(push.first_tile, kTileItems), uvec2(range.head, 0u));
  const uvec2 first_place = word64_subtract(word64_multiply(tile.index, kTileItems), uvec2(range.head, 0u));

  uvec2 rank = word64_add(before, subgroups_before.x);
  const uint last = max(prefix.y, subgroups_before.y);
  uvec2 open = last != 0u ? word64_add(chunk_first, last - 1u) : carried_open;
  encode_subgroup(tile, first_place, held, rank, open);

  const uint next = tile.index - push.first_tile + 1u;
  if (select_tile_exists(range, next) || gl_LocalInvocationIndex != 0u) return;
  const uvec2 runs = word64_add(before, total.x);
  const uint last_place = max(prefix.y, total.y);
  const uvec2 last_open = last_place != 0u ? word64_add(chunk_first, last_place - 1u) : carried_open;
  Words carry = Words(push.scratch);
  const uint to = 4u - select_carry_from();
  carry.at[to] = runs.x;
  carry.at[to + 1u] = runs.y;
  carry.at[to + 2u] = last_open.x;
  carry.at[to + 3u] = last_open.y;
  select_write_counts(runs, uvec2(0u), uvec2(0u));
  // Later chunks, where there are tiles in them, write it anew.
  if (kLengths) {
    const uvec2 length = word64_subtract(word64_subtract(range.end, uvec2(range.head, 0u)), last_open);
    encode_store(word64_add(push.indices_0, word64_times(word64_subtract(runs, uvec2(1u, 0u)), kIndexWords * 4u)), 0u,
                 length);
  }
}

#endif
