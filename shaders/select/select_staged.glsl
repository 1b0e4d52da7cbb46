// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Moving what is selected through shared memory. Ranks follow from counts of bits, scanned row by row across a
// subgroup's lanes. Each subgroup moves its rows by itself: a row's items go through shared memory in the order of
// their ranks, so that what is written to each partition is contiguous; where what is moved is not what was tested,
// their positions in the tile do, and the items are read from there. No subgroup waits for another meanwhile, and
// shared memory holds a row and not a tile.
//
// For items of less than a word, for bits and structs, and for what takes several lanes to move an item.
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_SELECT_STAGED_GLSL
#define WEFT_SELECT_STAGED_GLSL

#include "select/select_tile.glsl"

// x, 2 and 3 in y.
struct RowCounts {
  uvec2 before;
  uvec2 total;
};

RowCounts subgroup_row_counts(uint mask) {
  uint counts[4];
  [[unroll]] for (uint row = 0; row < 4; ++row)
    counts[row] = row < kRows ? bitCount((mask >> (row * WEFT_SELECT_VECTOR & 31u)) & kVectorMask) : 0u;
  const uvec2 own = uvec2(counts[0] | counts[1] << 16, counts[2] | counts[3] << 16);
  RowCounts result;
  uvec2 inclusive = uvec2(subgroup_inclusive_add(own.x), 0u);
  if (kRows > 2) inclusive.y = subgroup_inclusive_add(own.y);
  result.total = uvec2(subgroup_shuffle(inclusive.x, kSubgroupSize - 1u), 0u);
  if (kRows > 2) result.total.y = subgroup_shuffle(inclusive.y, kSubgroupSize - 1u);
  result.before = inclusive - own;
  return result;
}

uint row_count(uvec2 counts, uint row) { return ((row < 2u ? counts.x : counts.y) >> (16u * (row & 1u))) & 0xffffu; }

struct SelectRanks {
  RowCounts first;
  RowCounts second;  // three partitions only
};

SelectRanks select_ranks(SelectMasks masks) {
  SelectRanks ranks;
  ranks.first = subgroup_row_counts(masks.first);
  ranks.second = RowCounts(uvec2(0u), uvec2(0u));
  if (kThreePartitions) ranks.second = subgroup_row_counts(masks.second);
  return ranks;
}

// ---- moving a subgroup's rows, one at a time, through shared memory ----

#if WEFT_ITEM == WEFT_U32X2
const uint kStagedWords = 2;
#else
const uint kStagedWords = 1;
#endif
const uint kRowItems = kSubgroupSize * WEFT_SELECT_VECTOR;
// Narrow items and bits go in rounds, so that shared memory stays small: what it takes decides how many workgroups run
// at once. Runs are fewer than items.
#if WEFT_ACCUMULATOR == WEFT_RUNS
#define WEFT_STAGED_AT_ONCE 4u
#else
#define WEFT_STAGED_AT_ONCE 8u
#endif
const uint kStageWords = kSubgroupSize * (WEFT_SELECT_VECTOR * kStagedWords < WEFT_STAGED_AT_ONCE
                                              ? WEFT_SELECT_VECTOR * kStagedWords
                                              : WEFT_STAGED_AT_ONCE);
// What goes straight to its position needs none.
#ifdef WEFT_SELECT_DIRECT
const uint kStageSubgroups = kGathers ? kSubgroupCount : 1u;
#else
#define kStageSubgroups kSubgroupCount
#endif
shared uint weft_select_stage[kStageSubgroups * kStageWords];

// Entries that fit at a time: values take kStagedWords words, positions in the tile one.
uint stage_entries(bool values) { return values ? kStageWords / kStagedWords : kStageWords; }
uint stage_first(bool values) { return subgroup_index() * stage_entries(values); }

// A row's entries are those of the first partition, of the second and of the third, in this order.
struct SelectRow {
  uint row;
  uint begin;  // the first position that is there
  uint first;  // entries of each partition
  uint second;
  uint third;
};

SelectRow select_row_of(SelectTile tile, SelectRanks ranks, uint row) {
  SelectRow result;
  result.row = row;
  result.first = row_count(ranks.first.total, row);
  result.second = row_count(ranks.second.total, row);
  result.third = 0u;
  result.begin = 0u;
  if (kSplits) {
    const uint from = (subgroup_index() * kRows + row) * kRowItems;
    result.begin = max(from, tile.present.x);
    const uint end = min(from + kRowItems, tile.present.y);
    result.third = end - min(result.begin, end) - result.first - result.second;
  }
  return result;
}

// Stages what this lane holds of the row, as far as its position is in the round that begins at `from`.
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
void select_stage(SelectTile tile, SelectMasks masks, SelectRanks ranks, SelectRow row, bool values, uint from,
                  uint words[WEFT_VECTOR_INPUT_WORDS]) {
#else
void select_stage(SelectTile tile, SelectMasks masks, SelectRanks ranks, SelectRow row, bool values, uint from) {
#endif
  const uint v = tile_vector(row.row);
  const uint shift = row.row * WEFT_SELECT_VECTOR & 31u;
  const uint first = (masks.first >> shift) & kVectorMask;
  const uint second = (masks.second >> shift) & kVectorMask;
  uint rank_first = row_count(ranks.first.before, row.row);
  uint rank_second = row_count(ranks.second.before, row.row);
  const uint entries = stage_entries(values);
  const bool all_fit = kRowItems <= entries;
  uint present = kVectorMask;
  if (kSplits && !tile.fast) present = select_present(tile, v);
  [[unroll]] for (uint k = 0; k < WEFT_SELECT_VECTOR; ++k) {
    const bool in_first = ((first >> k) & 1u) != 0u;
    const bool in_second = kThreePartitions && ((second >> k) & 1u) != 0u;
    const uint item = v * WEFT_SELECT_VECTOR + k;
    uint position = rank_first;
    bool takes_part = in_first;
    if (kSplits) {
      if (!in_first) position = row.first + row.second + item - row.begin - rank_first - rank_second;
      if (in_second) position = row.first + rank_second;
      takes_part = ((present >> k) & 1u) != 0u;
    }
    const uint entry = position - from;
    if (takes_part && (all_fit || entry < entries)) {
      const uint slot = stage_first(values) + entry;
#if WEFT_ITEM == WEFT_U32X2
      if (values) {
        weft_select_stage[2u * slot] = words[2u * k];
        weft_select_stage[2u * slot + 1u] = words[2u * k + 1u];
      } else {
        weft_select_stage[slot] = item;
      }
#elif WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
      weft_select_stage[slot] = values ? vector_bits(words, k).x : item;
#else
      weft_select_stage[slot] = item;
#endif
    }
    rank_first += in_first ? 1u : 0u;
    rank_second += in_second ? 1u : 0u;
  }
}

// Writes `count` staged values, from entry `from` of the subgroup's on.
void select_flush_values(uvec2 target, uint from, uint count) {
  const uint first = stage_first(true) + from;
#if WEFT_ITEM == WEFT_U8 || WEFT_ITEM == WEFT_U16
  const uint per_word = 4u / WEFT_ITEM_BYTES;
  const uint shift = (target.x & 3u) / WEFT_ITEM_BYTES;
  Words words = Words(uvec2(target.x & ~3u, target.y));
  for (uint i = subgroup_lane(); i < (shift + count + per_word - 1u) / per_word; i += kSubgroupSize) {
    uint bits = 0u;
    uint mask = 0u;
    [[unroll]] for (uint k = 0; k < per_word; ++k) {
      const uint entry = i * per_word + k - shift;
      if (entry < count) {
        bits |= (weft_select_stage[first + entry] & ((1u << (8u * WEFT_ITEM_BYTES)) - 1u))
                << (8u * WEFT_ITEM_BYTES * k);
        mask |= ((1u << (8u * WEFT_ITEM_BYTES)) - 1u) << (8u * WEFT_ITEM_BYTES * k);
      }
    }
    merge_word(words, i, bits, mask);
  }
#else
  Words words = Words(target);
  for (uint i = subgroup_lane(); i < count * kStagedWords; i += kSubgroupSize)
    words.at[i] = weft_select_stage[first * kStagedWords + i];
#endif
}

// Writes the indices of `count` items whose positions in the tile are staged; `first_place` is the index of position 0.
void select_flush_indices(uvec2 target, uint from, uint count, uvec2 first_position) {
  const uint first = stage_first(false) + from;
  Words words = Words(target);
  for (uint i = subgroup_lane(); i < count; i += kSubgroupSize) {
    const uvec2 index = word64_add(first_position, weft_select_stage[first + i]);
    words.at[i * kIndexWords] = index.x;
    if (kIndexWords == 2u) words.at[2u * i + 1u] = index.y;
  }
}

// Copies `count` items whose positions in the tile are staged; `source` is where position 0 lies.
void select_flush_gathered(uvec2 target, uint from, uint count, uvec2 source) {
  const uint first = stage_first(false) + from;
  if (kMovedBytes >= 4u) {
    Words words = Words(target);
    const uint per_item = kMovedBytes / 4u;
    for (uint i = subgroup_lane(); i < count * per_item; i += kSubgroupSize) {
      const uint item = i / per_item;
      const uint byte = weft_select_stage[first + item] * kMovedBytes + (i - item * per_item) * 4u;
      words.at[i] = Words(word64_add(source, byte)).at[0];
    }
  } else {
    const uint bytes = kMovedBytes & 3u;
    const uint per_word = bytes == 2u ? 2u : 4u;
    const uint item_mask = (1u << (8u * bytes)) - 1u;
    const uint shift = (target.x & 3u) / bytes;
    Words words = Words(uvec2(target.x & ~3u, target.y));
    for (uint i = subgroup_lane(); i < (shift + count + per_word - 1u) / per_word; i += kSubgroupSize) {
      uint bits = 0u;
      uint mask = 0u;
      for (uint k = 0u; k < per_word; ++k) {
        const uint entry = i * per_word + k - shift;
        if (entry < count) {
          const uvec2 address = word64_add(source, weft_select_stage[first + entry] * bytes);
          const uint word = Words(uvec2(address.x & ~3u, address.y)).at[0];
          bits |= ((word >> (8u * (address.x & 3u))) & item_mask) << (8u * bytes * k);
          mask |= item_mask << (8u * bytes * k);
        }
      }
      merge_word(words, i, bits, mask);
    }
  }
}

const bool kPlaces = kGathers || kIndexWords != 0u;

#endif
