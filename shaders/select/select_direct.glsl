// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Testing items of one or two words that go straight to their positions. Each lane takes one item of a row of
// kSubgroupSize neighbours, so that a ballot gives its rank and what the row's lanes store is contiguous: no shared
// memory and no barriers.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_SELECT_DIRECT_GLSL
#define WEFT_SELECT_DIRECT_GLSL

#include "select/select_tile.glsl"

// On emulated subgroups Select's items go through shared memory: ballots take as long, and modules are smaller.
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT && WEFT_ITEM_BYTES >= 4 && \
    (!WEFT_SUBGROUP_EMULATED || WEFT_ACCUMULATOR == WEFT_RUNS)

#define WEFT_SELECT_DIRECT
#if WEFT_ITEM_BYTES == 8
#define SelectWord uvec2
#define SelectItems Words2
#else
#define SelectWord uint
#define SelectItems Words
#endif

// What a lane holds of a full tile, an item of each row. Rows written out, as in tile.glsl.
#if WEFT_ITEM_BYTES == 8
#define WEFT_FOR_DIRECT_ROWS(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
struct SelectRows {
  SelectWord row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7, row_8, row_9, row_10, row_11, row_12, row_13,
      row_14, row_15;
};
#else
#define WEFT_FOR_DIRECT_ROWS(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) \
  DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
struct SelectRows {
  SelectWord row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7, row_8, row_9, row_10, row_11, row_12, row_13,
      row_14, row_15, row_16, row_17, row_18, row_19, row_20, row_21, row_22, row_23, row_24, row_25, row_26, row_27,
      row_28, row_29, row_30, row_31;
};
#endif
const uint kLaneItems = kRows * WEFT_SELECT_VECTOR;

SelectRows weft_select_rows;

// The position in the tile of this lane's item in a row.
uint direct_position(uint row) {
  return (subgroup_index() * kLaneItems + row) * kSubgroupSize + subgroup_lane();
}

bool position_is_present(SelectTile tile, uint position) {
  return position - tile.present.x < tile.present.y - tile.present.x;
}

// How many of the subgroup's items before a position there are.
uint direct_present_before(SelectTile tile, uint position) {
  const uint first = direct_position(0u) - subgroup_lane();
  return clamp(position, tile.present.x, tile.present.y) - clamp(first, tile.present.x, tile.present.y);
}

// Outputs of two words may lie on a boundary of one.
void direct_store(uvec2 address, uint index, SelectWord word) {
  Words target = Words(address);
#if WEFT_ITEM_BYTES == 8
  target.at[2u * index] = word.x;
  target.at[2u * index + 1u] = word.y;
#else
  target.at[index] = word;
#endif
}

// The item at a position of any tile; 0 where there is none.
SelectWord direct_item(SelectTile tile, uint position) {
  Words source = Words(tile.source);
  SelectWord word = SelectWord(0u);
  if (position_is_present(tile, position)) {
#if WEFT_ITEM_BYTES == 8
    word = uvec2(source.at[2u * position], source.at[2u * position + 1u]);
#else
    word = source.at[position];
#endif
  }
  return word;
}

// Of a tile that is not full, so many rows are loaded before the first is used: they wait for memory together.
const uint kRowsAtOnce = WEFT_SELECT_VECTOR;

void direct_load_rows(SelectTile tile, uint first, out SelectWord rows[kRowsAtOnce]) {
  [[unroll]] for (uint k = 0u; k < kRowsAtOnce; ++k) rows[k] = direct_item(tile, direct_position(first + k));
}

#if WEFT_ITEM_BYTES == 8
uvec2 item_bits(uvec2 word) { return word; }
#else
uvec2 item_bits(uint word) { return uvec2(word, 0u); }
#endif

#if WEFT_ITEM_BYTES == 8
uvec2 mix_word(uvec2 a, uvec2 b, bool second) { return mix(a, b, bvec2(second)); }
#else
uint mix_word(uint a, uint b, bool second) { return mix(a, b, second); }
#endif

bool direct_differs(SelectWord a, SelectWord b) {
#ifdef WEFT_OWN_UNIQUE
  return own_differs(own_item_of(a), own_item_of(b));
#else
  return a != b;
#endif
}

// The item before this subgroup's first; where there is none, any.
SelectWord direct_before(SelectTile tile) {
  const uint position = direct_position(0u) - subgroup_lane();
  const bool is_there = (tile.index != 0u || position > tile.present.x) && position <= tile.present.y;
  // Without a branch: another item of the tile, or the one before it, stands in.
  const uint other = tile.index == 0u ? tile.present.x + 1u : 0u;
  Words source = Words(word64_subtract(word64_add(tile.source, (is_there ? position : other) * WEFT_ITEM_BYTES),
                                       uvec2(WEFT_ITEM_BYTES, 0u)));
#if WEFT_ITEM_BYTES == 8
  return uvec2(source.at[0], source.at[1]);
#else
  return source.at[0];
#endif
}

// The item before this lane's in a row. `carried`: on lane 0, the item before the row, and becomes that of the next.
SelectWord direct_item_before(SelectWord word, inout SelectWord carried) {
  const SelectWord rotated = subgroup_shuffle(word, (subgroup_lane() - 1u) & (kSubgroupSize - 1u));
  const SelectWord before = mix_word(rotated, carried, subgroup_lane() == 0u);
  carried = rotated;
  return before;
}

void direct_test(SelectWord word, uint row, inout SelectWord carried, inout SelectMasks masks) {
  if (kTest == kTestRunHead) {
    masks.first |= uint(direct_differs(direct_item_before(word, carried), word)) << row;
    return;
  }
#if !defined(WEFT_OWN_SNIPPET) || !defined(WEFT_OWN_UNIQUE)
  select_mark(WEFT_SELECT_PARTITION(item_bits(word)), row, masks);
#endif
}

// Loads what a lane holds of a full tile, and tests any tile. Bit i of the masks is the item of row i.
void direct_take(SelectTile tile) {
  SelectMasks masks = SelectMasks(0u, 0u);
  SelectWord carried = SelectWord(0u);
  if (kTest == kTestRunHead) carried = direct_before(tile);
  if (tile.fast) {
    SelectItems source = SelectItems(word64_add(tile.source, direct_position(0u) * WEFT_ITEM_BYTES));
#define WEFT_LOAD_ROW(i) \
  if (i < kLaneItems) weft_select_rows.row_##i = source.at[i * kSubgroupSize];
    WEFT_FOR_DIRECT_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
#define WEFT_TEST_ROW(i) \
  if (i < kLaneItems) direct_test(weft_select_rows.row_##i, i, carried, masks);
    WEFT_FOR_DIRECT_ROWS(WEFT_TEST_ROW)
#undef WEFT_TEST_ROW
  } else {
    [[dont_unroll]] for (uint first = 0u; first < kLaneItems; first += kRowsAtOnce) {
      SelectWord rows[kRowsAtOnce];
      direct_load_rows(tile, first, rows);
      [[unroll]] for (uint k = 0u; k < kRowsAtOnce; ++k) {
        SelectMasks own = SelectMasks(0u, 0u);
        direct_test(rows[k], first + k, carried, own);
        const bool present = position_is_present(tile, direct_position(first + k));
        masks.first |= present ? own.first : 0u;
        if (kThreePartitions) masks.second |= present ? own.second : 0u;
      }
    }
  }
  // The first item of all.
  const uint first = tile.present.x - direct_position(0u);
  if (kTest == kTestRunHead && tile.index == 0u && first % kSubgroupSize == 0u && first / kSubgroupSize < kLaneItems)
    masks.first |= 1u << (first / kSubgroupSize & 31u);
  weft_select_masks = masks;
}

// ---- counting ahead ----
//
// Where a row's items go is known once those of the rows before it are counted, and so row waits for row. Where
// kRowsAhead, each lane counts a row before the tile waits for its predecessors.

#ifdef WEFT_ROWS_AHEAD
const bool kCountsAhead = kRowsAhead ? kLaneItems <= kSubgroupSize ? kSubgroupSize <= 32u : false : false;
#else
const bool kCountsAhead = false;
#endif

// On lane i: how many bits the rows before row i have. Bit k of `rows` is that of row k.
uint direct_count_ahead(uint rows) { return subgroup_exclusive_add(bitCount(subgroup_transpose(rows))); }

// Between rows that were counted ahead: without barriers NVIDIA's compiler ranks all before it stores one, which takes
// registers.
void direct_pace(uint row) {
  if (row % 4u == 0u && row != 0u) subgroup_execution_barrier();
}

#endif
#endif
