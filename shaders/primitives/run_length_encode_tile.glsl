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

// At a head the run before it ends, which began at `begin`.
void encode_length(EncodeTargets targets, bool head, uint rank, uint place, uint begin, uvec2 first_place) {
  const bool has_run_before = (uint(!targets.is_first) | rank) != 0u;
  const bool ends = head && has_run_before;
  const uvec2 index = word64_add(first_place, place);
  const bool began_before = kIndexWords == 2u && begin == kOpenBefore;
  const uvec2 length = mix(uvec2(place - begin, 0u), word64_subtract(index, targets.open_before), bvec2(began_before));
  if (ends) encode_store(targets.lengths, rank, length);
}

EncodeTargets encode_targets(uvec2 first_place, uvec2 rank, uvec2 open) {
  EncodeTargets targets;
  targets.symbols = word64_add(push.out_0, word64_times(rank, WEFT_ITEM_BYTES));
  targets.lengths = word64_subtract(word64_add(push.indices_0, word64_times(rank, kIndexWords * 4u)),
                                    uvec2(kIndexWords * 4u, 0u));
  targets.offsets = word64_add(push.indices_1, word64_times(rank, kIndexWords * 4u));
  targets.is_first = rank == uvec2(0u);
  targets.rank = 0u;
  targets.open = kIndexWords == 2u ? kOpenBefore : open.x - first_place.x;
  targets.open_before = open;
  return targets;
}

#ifdef WEFT_SELECT_DIRECT

void encode_row_direct(SelectTile tile, uvec2 first_place, uint place, SelectWord word, bool full,
                       inout SelectWord carried, inout EncodeTargets targets) {
  const bool differs = direct_run_head(tile, place, word, full, carried);
  const bool present = place_is_present(tile, place);
  const bool counts = full || present;
  const bool head = differs && counts;
  const uvec4 heads = subgroup_ballot(head);
  const uint rank = targets.rank + subgroup_rank(heads);
  const uint row_first = place - subgroup_lane();
  const uint begin = subgroup_highest_before(heads, row_first, targets.open);
  if (kMovesTested && head) direct_store(targets.symbols, rank, word);
  if (kOffsets && head) encode_store(targets.offsets, rank, word64_add(first_place, place));
  if (kLengths) encode_length(targets, head, rank, place, begin, first_place);
  targets.open = ballot_highest_bit_from(heads, row_first, targets.open);
  targets.rank += ballot_bit_count(heads);
}

Accumulator compact_share(SelectTile tile) { return direct_share(tile); }

#define SelectHeld SelectPart
void select_fetch(SelectTile tile, inout SelectPart words) {
  if (tile.fast) part_load(tile, 0u, words);
}

void encode_subgroup(SelectTile tile, uvec2 first_place, SelectPart first_part, uvec2 rank, uvec2 open) {
  EncodeTargets targets = encode_targets(first_place, rank, open);
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

// The symbol of a head in this lane's vector, by its place in it.
uint encode_symbol(uint words[WEFT_VECTOR_INPUT_WORDS], uint k) {
  const uint per_word = 4u / WEFT_ITEM_BYTES;
  const uint i = k / per_word;
  const uint word = i < 2u ? (i == 0u ? words[0] : words[1]) : (i == 2u ? words[2] : words[3]);
  return word >> (8u * WEFT_ITEM_BYTES * (k % per_word));
}

// A lane goes through the heads of its vector, so that what a row costs follows from its runs. Lengths are stored as they come;
// symbols, of which several share a word, go through shared memory, in rounds where there are more than fit.
void encode_row(uvec2 first_place, SelectMasks masks, SelectRanks ranks, uint row, uint words[WEFT_VECTOR_INPUT_WORDS],
                inout EncodeTargets targets) {
  const uint heads = (masks.first >> (row * WEFT_SELECT_VECTOR & 31u)) & kVectorMask;
  const uint vector_place = tile_vector(row) * WEFT_SELECT_VECTOR;
  const uint own_last = vector_place + uint(findMSB(heads | 1u));
  const uvec4 with_heads = subgroup_ballot(heads != 0u);
  const uint before = subgroup_shuffle(own_last, subgroup_highest_before(with_heads, 0u, 0u));
  const uint last = subgroup_shuffle(own_last, ballot_highest_bit_from(with_heads, 0u, 0u));
  const uint row_begin = subgroup_rank(with_heads) != 0u ? before : targets.open;
  const uint row_runs = row_count(ranks.first.total, row);
  const uint row_rank = row_count(ranks.first.before, row);
  const uint entries = stage_entries(true);
  for (uint from = 0u; from < kRowItems; from += entries) {
#if !WEFT_SUBGROUP_EMULATED
    if (from != 0u && from >= row_runs) break;
#endif
    uint rank = row_rank;
    uint begin = row_begin;
    [[dont_unroll]] for (uint bits = heads; bits != 0u; bits &= bits - 1u) {
      const uint k = uint(findLSB(bits));
      const uint place = vector_place + k;
      if (from == 0u) {
        if (kOffsets) encode_store(targets.offsets, targets.rank + rank, word64_add(first_place, place));
        if (kLengths) encode_length(targets, true, targets.rank + rank, place, begin, first_place);
      }
      if (kMovesTested && rank - from < entries) weft_select_stage[stage_first(true) + rank - from] = encode_symbol(words, k);
      begin = place;
      ++rank;
    }
    if (!kMovesTested) break;
    subgroup_shared_barrier();
    select_flush_values(word64_add(targets.symbols, (targets.rank + from) * WEFT_ITEM_BYTES), 0u,
                        min(row_runs - min(from, row_runs), entries));
    subgroup_shared_barrier();
  }
  targets.open = row_runs != 0u ? last : targets.open;
  targets.rank += row_runs;
}

void encode_subgroup(SelectTile tile, uvec2 first_place, SelectWords words, uvec2 rank, uvec2 open) {
  EncodeTargets targets = encode_targets(first_place, rank, open);
  const SelectMasks masks = select_masks(tile, words);
  const SelectRanks ranks = select_ranks(masks);
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  if (tile.fast) {
#define WEFT_ENCODE_ROW(i)                                              \
  if (i < kRows) {                                                      \
    vector_unpack(words.row_##i, vector);                               \
    encode_row(first_place, masks, ranks, i, vector, targets);          \
  }
    WEFT_FOR_SELECT_ROWS(WEFT_ENCODE_ROW)
#undef WEFT_ENCODE_ROW
  } else {
    [[dont_unroll]] for (uint row = 0u; row < kRows; ++row) {
      if (kMovesTested) tile_load_vector(tile.source, tile.present, tile_vector(row), vector);
      encode_row(first_place, masks, ranks, row, vector, targets);
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
