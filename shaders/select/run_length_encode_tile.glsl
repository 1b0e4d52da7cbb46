// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Run-length encoding of a tile: the heads of runs are selected, and a run's length is written by the tile in which the
// next run begins. What is open at a tile's beginning, the start of the last run before it, comes with the counts: what
// is combined and published is (runs begun, position of the last one). The range's last tile writes the length of its
// last run.
//
// Of runs of two or more items all is written where they end (select_tile.glsl), and what is published is (such ends,
// position of the last run's beginning). The end counted n-th, from 0 on, closes run n - 1; the range's last run ends
// with the range.
#ifndef WEFT_RUN_LENGTH_ENCODE_TILE_GLSL
#define WEFT_RUN_LENGTH_ENCODE_TILE_GLSL

#include "select/run_length_encode.h"
#include "select/select_direct.glsl"
#include "select/select_staged.glsl"

const bool kLengths = (kMove & kMoveLengths) != 0u;
const bool kOffsets = (kMove & kMoveOffsets) != 0u;
#if WEFT_ITEM == WEFT_STRUCT
const uint kSymbolBytes = WEFT_ITEM_WORDS * 4;
#else
const uint kSymbolBytes = WEFT_ITEM_BYTES;
#endif

void encode_store(uvec2 target, uint index, uvec2 value) {
  Words words = Words(target);
  words.at[index * kIndexWords] = value.x;
  if (kIndexWords == 2u) words.at[2u * index + 1u] = value.y;
}

// Copies the item at an index of the range. Beside one of less than a word others may be written.
void encode_copy(uvec2 target, uvec2 index) {
  const uvec2 source = word64_add(push.items, word64_times(index, kSymbolBytes));
#if WEFT_ITEM == WEFT_U8 || WEFT_ITEM == WEFT_U16
  const uint mask = (1u << (8u * kSymbolBytes)) - 1u;
  const uint item = Words(uvec2(source.x & ~3u, source.y)).at[0] >> (8u * (source.x & 3u));
  const uint shift = 8u * (target.x & 3u);
  merge_word(Words(uvec2(target.x & ~3u, target.y)), 0u, (item & mask) << shift, mask << shift);
#else
  Words from = Words(source);
  Words to = Words(target);
  [[unroll]] for (uint i = 0; i < kSymbolBytes / 4; ++i) to.at[i] = from.at[i];
#endif
}

// Where a subgroup's runs go.
struct EncodeTargets {
  uvec2 symbols;  // non-trivial: as lengths
  uvec2 lengths;  // of the run before the subgroup's first
  uvec2 offsets;  // non-trivial: as lengths
  bool is_first;  // no run begins before the subgroup's
  uint rank;      // of the subgroup's runs
  // Where the run before a row began. As a position in the tile, modulo 2^32 where lengths have a word; where whole
  // indices are requested (kOpenIsWide), kOpenBefore stands for all that lies before the subgroup, and `open_before` is
  // the index.
  uint open;
  uvec2 open_before;
};
const uint kOpenBefore = ~0u;

// A variable of its own, as weft_select_masks is.
EncodeTargets weft_encode;

// With an equality of the user's own a run's symbol is its first item, and the one before its end is another.
#ifdef WEFT_OWN_UNIQUE
const bool kSymbolsAreFirst = kNonTrivial;
const bool kOpenIsWide = kIndexWords == 2u || kNonTrivial;
#else
const bool kSymbolsAreFirst = false;
const bool kOpenIsWide = kIndexWords == 2u;
#endif

bool encode_has_run_before(uint rank) { return (uint(!weft_encode.is_first) | rank) != 0u; }

// ---- counting ahead (select_direct.glsl) ----

#ifdef WEFT_SELECT_DIRECT

// On lane i, of the subgroup's rows before row i: how many runs they have, and one more than where their last head is,
// or 0.
uvec2 weft_encode_ahead = uvec2(0u);

uint encode_max_with_earlier(uint v, uint delta) {
  const uint earlier = subgroup_shuffle_up(v, delta);
  return max(v, mix(0u, earlier, subgroup_lane() >= delta));
}

void compact_count_ahead() {
  if (!kCountsAhead) return;
  const uint heads = subgroup_transpose(weft_select_masks.first);
  weft_encode_ahead.x = kNonTrivial ? direct_count_ahead(weft_select_masks.second)
                                    : subgroup_exclusive_add(bitCount(heads));
  const uint row_first = direct_position(subgroup_lane()) - subgroup_lane();
  uint last = mix(0u, row_first + uint(findMSB(heads)) + 1u, heads != 0u);
  last = encode_max_with_earlier(last, 1u);
  last = encode_max_with_earlier(last, 2u);
  last = encode_max_with_earlier(last, 4u);
  last = encode_max_with_earlier(last, 8u);
  last = encode_max_with_earlier(last, 16u);
  const uint before = subgroup_shuffle_up(last, 1u);
  weft_encode_ahead.y = mix(0u, before, subgroup_lane() != 0u);
}

// Where the run before a row began, and in weft_encode the rank of the row's first run.
uint encode_begin_row(uint row) {
  if (!kCountsAhead) return weft_encode.open;
  direct_pace(row);
  weft_encode.rank = subgroup_shuffle(weft_encode_ahead.x, row);
  const uint last = subgroup_shuffle(weft_encode_ahead.y, row);
  return last != 0u ? last - 1u : weft_encode.open;
}

#else

const bool kCountsAhead = false;
void compact_count_ahead() {}
uint encode_begin_row(uint row) { return weft_encode.open; }

#endif

// At a head the run before it ends, which began at `begin`.
void encode_length(bool head, uint rank, uint position, uint begin, uvec2 first_position) {
  const bool has_run_before = encode_has_run_before(rank);
  const bool ends = head && has_run_before;
  const uvec2 index = word64_add(first_position, position);
  const bool began_before = kOpenIsWide && begin == kOpenBefore;
  const uvec2 length =
      mix(uvec2(position - begin, 0u), word64_subtract(index, weft_encode.open_before), bvec2(began_before));
  if (ends) encode_store(weft_encode.lengths, rank, length);
}

// The index of the item at `begin`.
uvec2 encode_begin(uint begin, uvec2 first_position) {
  return mix(word64_add(first_position, begin), weft_encode.open_before, bvec2(kOpenIsWide && begin == kOpenBefore));
}

void encode_targets(uvec2 first_position, uvec2 rank, uvec2 open) {
  weft_encode.symbols = word64_add(push.out_0, word64_times(rank, kSymbolBytes));
  weft_encode.lengths = word64_subtract(word64_add(push.indices_0, word64_times(rank, kIndexWords * 4u)),
                                    uvec2(kIndexWords * 4u, 0u));
  weft_encode.offsets = word64_add(push.indices_1, word64_times(rank, kIndexWords * 4u));
  if (kNonTrivial) {
    weft_encode.symbols = word64_subtract(weft_encode.symbols, uvec2(kSymbolBytes, 0u));
    weft_encode.offsets = word64_subtract(weft_encode.offsets, uvec2(kIndexWords * 4u, 0u));
  }
  weft_encode.is_first = rank == uvec2(0u);
  weft_encode.rank = 0u;
  weft_encode.open = kOpenIsWide ? kOpenBefore : open.x - first_position.x;
  weft_encode.open_before = open;
}

#if defined(WEFT_SELECT_DIRECT) || WEFT_ITEM == WEFT_STRUCT

#ifndef WEFT_SELECT_DIRECT
#define SelectWord uint  // not looked at: structs are copied
void direct_store(uvec2 address, uint index, SelectWord word) {}
const bool kSymbolsAreCopied = true;
#else
const bool kSymbolsAreCopied = kSymbolsAreFirst;
#endif

// Of a run that begins at `begin`.
void encode_symbol(uint rank, SelectWord word, uint begin, uvec2 first_position) {
  if (kSymbolsAreCopied)
    encode_copy(word64_add(weft_encode.symbols, rank * kSymbolBytes), encode_begin(begin, first_position));
  else
    direct_store(weft_encode.symbols, rank, word);
}

// A row of which each lane has the item at `position`, the row's bit in the masks; `before`: the item before it.
void encode_row(uvec2 first_position, uint position, SelectMasks masks, uint row, SelectWord word, SelectWord before) {
  const uint open = encode_begin_row(row);
  const bool head = (masks.first >> row & 1u) != 0u;
  const uvec4 heads = subgroup_ballot(head);
  const uint row_first = position - subgroup_lane();
  const uint begin = subgroup_highest_before(heads, row_first, open);
  if (kNonTrivial) {
    const bool counted = (masks.second >> row & 1u) != 0u;
    const uvec4 ends = subgroup_ballot(counted);
    const uint rank = weft_encode.rank + subgroup_rank(ends);
    const bool has_run_before = encode_has_run_before(rank);
    const bool ended = counted && has_run_before;
    if (kMovesTested && ended) encode_symbol(rank, before, begin, first_position);
    if (kOffsets && ended) encode_store(weft_encode.offsets, rank, encode_begin(begin, first_position));
    if (kLengths) encode_length(counted, rank, position, begin, first_position);
    if (kCountsAhead) return;
    weft_encode.open = ballot_highest_bit_from(heads, row_first, weft_encode.open);
    weft_encode.rank += ballot_bit_count(ends);
    return;
  }
  const uint rank = weft_encode.rank + subgroup_rank(heads);
  if (kMovesTested && head) encode_symbol(rank, word, position, first_position);
  if (kOffsets && head) encode_store(weft_encode.offsets, rank, word64_add(first_position, position));
  if (kLengths) encode_length(head, rank, position, begin, first_position);
  if (kCountsAhead) return;
  weft_encode.open = ballot_highest_bit_from(heads, row_first, weft_encode.open);
  weft_encode.rank += ballot_bit_count(heads);
}

#endif

#ifdef WEFT_SELECT_DIRECT

// Loads and tests a tile, and counts this subgroup's runs of it.
Accumulator compact_take(SelectTile tile) {
  direct_take(tile);
  if (kNonTrivial)
    weft_select_masks.second = select_run_ends(weft_select_masks.first, 1u, select_follows_head(tile));
  return select_aggregate(tile, direct_position(uint(findMSB(weft_select_masks.first | 1u))));
}

void encode_row_direct(uvec2 first_position, SelectMasks masks, uint row, SelectWord word, inout SelectWord carried) {
  SelectWord before = word;
  if (kNonTrivial && kMovesTested && !kSymbolsAreCopied) before = direct_item_before(word, carried);
  encode_row(first_position, direct_position(row), masks, row, word, before);
}

void encode_subgroup(SelectTile tile, uvec2 first_position, uvec2 rank, uvec2 open) {
  encode_targets(first_position, rank, open);
  SelectWord carried = direct_before(tile);
  if (tile.fast) {
#define WEFT_ENCODE_ROW(i) \
  if (i < kLaneItems) encode_row_direct(first_position, weft_select_masks, i, weft_select_rows.row_##i, carried);
    WEFT_FOR_DIRECT_ROWS(WEFT_ENCODE_ROW)
#undef WEFT_ENCODE_ROW
  } else {
    [[dont_unroll]] for (uint row = 0u; row < kLaneItems; row += kRowsAtOnce) {
      SelectWord rows[kRowsAtOnce];
      direct_load_rows(tile, row, rows);
      [[unroll]] for (uint k = 0u; k < kRowsAtOnce; ++k)
        encode_row_direct(first_position, weft_select_masks, row + k, rows[k], carried);
    }
  }
}

#else

// Loads and tests a tile, and counts this subgroup's runs of it.
Accumulator compact_take(SelectTile tile) {
  select_take(tile);
  return select_aggregate(tile);
}

#if WEFT_ITEM == WEFT_STRUCT

void encode_subgroup(SelectTile tile, uvec2 first_position, uvec2 rank, uvec2 open) {
  encode_targets(first_position, rank, open);
  [[dont_unroll]] for (uint row = 0u; row < kRows; ++row)
    encode_row(first_position, tile_vector(row), weft_select_masks, row, 0u, 0u);
}

#else

// The symbol of a head in this lane's vector, by its position in it; non-trivial: of the item before, which for the
// first one is the highest of the word `before`.
uint encode_symbol(uint words[WEFT_VECTOR_INPUT_WORDS], uint before, uint k) {
  const uint per_word = 4u / WEFT_ITEM_BYTES;
  const uint at = kNonTrivial ? max(k, 1u) - 1u : k;
  const uint i = at / per_word;
  const uint word = i < 2u ? (i == 0u ? words[0] : words[1]) : (i == 2u ? words[2] : words[3]);
  const uint symbol = word >> (8u * WEFT_ITEM_BYTES * (at % per_word));
  return kNonTrivial ? mix(symbol, before >> (32 - 8 * WEFT_ITEM_BYTES), k == 0u) : symbol;
}

// A lane goes through the heads of its vector, so that what a row costs follows from its runs. Lengths are stored as
// they come; symbols, of which several share a word, go through shared memory, in rounds where there are more than fit.
// `carried`, non-trivial: on lane 0, the word before the row.
void encode_row_staged(uvec2 first_position, SelectMasks masks, SelectRanks ranks, uint row,
                       uint words[WEFT_VECTOR_INPUT_WORDS], inout uint carried) {
  const uint heads = (masks.first >> (row * WEFT_SELECT_VECTOR & 31u)) & kVectorMask;
  uint listed = heads;
  uint word_before = 0u;
  if (kNonTrivial) {
    listed = (masks.second >> (row * WEFT_SELECT_VECTOR & 31u)) & kVectorMask;
    const uint rotated = subgroup_shuffle(vector_last(words), (subgroup_lane() - 1u) & (kSubgroupSize - 1u));
    word_before = mix(rotated, carried, subgroup_lane() == 0u);
    carried = rotated;
  }
  const uint vector_position = tile_vector(row) * WEFT_SELECT_VECTOR;
  const uint own_last = vector_position + uint(findMSB(heads | 1u));
  const uvec4 with_heads = subgroup_ballot(heads != 0u);
  const uint before = subgroup_shuffle(own_last, subgroup_highest_before(with_heads, 0u, 0u));
  const uint last = subgroup_shuffle(own_last, ballot_highest_bit_from(with_heads, 0u, 0u));
  const uint row_begin = subgroup_rank(with_heads) != 0u ? before : weft_encode.open;
  const uint row_runs = row_count(ranks.first.total, row);
  const uint row_rank = row_count(ranks.first.before, row);
  const uint entries = stage_entries(true);
  for (uint from = 0u; from < kRowItems; from += entries) {
#if !WEFT_SUBGROUP_EMULATED
    if (from != 0u && from >= row_runs) break;
#endif
    uint rank = row_rank;
    uint begin = row_begin;
    [[dont_unroll]] for (uint bits = listed; bits != 0u; bits &= bits - 1u) {
      const uint k = uint(findLSB(bits));
      const uint position = vector_position + k;
      if (kNonTrivial) {
        const uint heads_before = heads & ((1u << k) - 1u);
        begin = mix(row_begin, vector_position + uint(findMSB(heads_before | 1u)), heads_before != 0u);
      }
      if (from == 0u) {
        const bool has_run_before = encode_has_run_before(weft_encode.rank + rank);
        if (kOffsets && (!kNonTrivial || has_run_before))
          encode_store(
              weft_encode.offsets, weft_encode.rank + rank,
              kNonTrivial ? encode_begin(begin, first_position) : word64_add(first_position, position));
        if (kLengths) encode_length(true, weft_encode.rank + rank, position, begin, first_position);
      }
      if (kMovesTested && rank - from < entries)
        weft_select_stage[stage_first(true) + rank - from] = encode_symbol(words, word_before, k);
      begin = position;
      ++rank;
    }
    if (!kMovesTested) break;
    subgroup_shared_barrier();
    const uint flushed = min(row_runs - min(from, row_runs), entries);
    // The range's first item ends no run.
    const bool has_run_before = encode_has_run_before(weft_encode.rank + from);
    const uint skipped = mix(0u, min(flushed, 1u), kNonTrivial && !has_run_before);
    select_flush_values(word64_add(weft_encode.symbols, (weft_encode.rank + from + skipped) * WEFT_ITEM_BYTES), skipped,
                        flushed - skipped);
    subgroup_shared_barrier();
  }
  weft_encode.open = (kNonTrivial ? with_heads != uvec4(0u) : row_runs != 0u) ? last : weft_encode.open;
  weft_encode.rank += row_runs;
}

void encode_subgroup(SelectTile tile, uvec2 first_position, uvec2 rank, uvec2 open) {
  encode_targets(first_position, rank, open);
  const SelectMasks masks = weft_select_masks;
  SelectMasks listed = masks;
  if (kNonTrivial) listed.first = masks.second;
  const SelectRanks ranks = select_ranks(listed);
  uint carried = 0u;
  const uint first_vector = tile_vector(0u);
  if (kNonTrivial && kMovesTested && subgroup_lane() == 0u && select_present(tile, first_vector) != 0u)
    carried = select_before(tile, first_vector);
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  if (tile.fast) {
#define WEFT_ENCODE_ROW(i)                                              \
  if (i < kRows) {                                                      \
    vector_unpack(weft_select_words.row_##i, vector);                    \
    encode_row_staged(first_position, masks, ranks, i, vector, carried); \
  }
    WEFT_FOR_SELECT_ROWS(WEFT_ENCODE_ROW)
#undef WEFT_ENCODE_ROW
  } else {
    [[dont_unroll]] for (uint row = 0u; row < kRows; ++row) {
      if (kMovesTested) tile_load_vector(tile.source, tile.present, tile_vector(row), vector);
      encode_row_staged(first_position, masks, ranks, row, vector, carried);
    }
  }
}

#endif

#endif

void compact_tile(TileRange range, SelectTile tile, Accumulator prefix, Accumulator subgroups_before,
                  Accumulator total) {
  uvec2 before, carried_open;
  select_carried(before, carried_open);
  before = word64_add(before, prefix.x);
  // The index of the chunk's position 1, less 1.
  const uvec2 chunk_first = word64_subtract(word64_multiply(push.first_tile, kTileItems), uvec2(range.head, 0u));
  const uvec2 first_position = word64_subtract(word64_multiply(tile.index, kTileItems), uvec2(range.head, 0u));

  uvec2 rank = word64_add(before, subgroups_before.x);
  const uint last = max(prefix.y, subgroups_before.y);
  uvec2 open = last != 0u ? word64_add(chunk_first, last - 1u) : carried_open;
  encode_subgroup(tile, first_position, rank, open);

  const uint next = tile.index - push.first_tile + 1u;
  if (select_tile_exists(range, next) || gl_LocalInvocationIndex != 0u) return;
  const uvec2 runs = word64_add(before, total.x);
  const uint last_position = max(prefix.y, total.y);
  const uvec2 last_open = last_position != 0u ? word64_add(chunk_first, last_position - 1u) : carried_open;
  select_carry(runs, last_open);
  if (kNonTrivial) {
    // The range's last run ends with it; one item is no run here. A chunk that is not the last one has no more than its
    // ends.
    const uvec2 length = word64_subtract(word64_subtract(range.end, uvec2(range.head, 0u)), last_open);
    const uvec2 closed = word64_subtract(runs, uvec2(1u, 0u));
    const bool closes = length != uvec2(1u, 0u) && !tile_exists(range, tile.index + 1u);
    select_write_counts(closes ? runs : closed, uvec2(0u), uvec2(0u));
    if (!closes) return;
    if (kMovesTested) encode_copy(word64_add(push.out_0, word64_times(closed, kSymbolBytes)), last_open);
    if (kLengths) encode_store(word64_add(push.indices_0, word64_times(closed, kIndexWords * 4u)), 0u, length);
    if (kOffsets) encode_store(word64_add(push.indices_1, word64_times(closed, kIndexWords * 4u)), 0u, last_open);
    return;
  }
  select_write_counts(runs, uvec2(0u), uvec2(0u));
  // Later chunks, where there are tiles in them, write it anew.
  if (kLengths) {
    const uvec2 length = word64_subtract(word64_subtract(range.end, uvec2(range.head, 0u)), last_open);
    encode_store(word64_add(push.indices_0, word64_times(word64_subtract(runs, uvec2(1u, 0u)), kIndexWords * 4u)), 0u,
                 length);
  }
}

#endif
