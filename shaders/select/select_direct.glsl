// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Moving what is selected straight to its position, for items of one or two words. Each lane takes one item of a row of
// kSubgroupSize neighbours, so that a ballot gives its rank and what the row's lanes store is contiguous: no shared
// memory, no barriers, and few registers, since a subgroup goes through its items part by part.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_SELECT_DIRECT_GLSL
#define WEFT_SELECT_DIRECT_GLSL

#include "select/select_tile.glsl"

#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT && WEFT_ITEM_BYTES >= 4

#define WEFT_SELECT_DIRECT
#if WEFT_ITEM_BYTES == 8
#define SelectWord uvec2
#define SelectItems Words2
#else
#define SelectWord uint
#define SelectItems Words
#endif

// Rows a lane holds at a time, written out: drivers do not unroll a loop inside one that is to stay, and then look up
// every row's register by comparing. kRows is a multiple of kCountRows.
#if WEFT_ITEM_BYTES == 8 && WEFT_ACCUMULATOR == WEFT_RUNS
#define WEFT_PART_ROWS 2
#define WEFT_FOR_PART_ROWS(DO) DO(0) DO(1)
struct SelectPart {
  SelectWord row_0, row_1;
};
#elif WEFT_ITEM_BYTES == 8 || WEFT_ACCUMULATOR == WEFT_RUNS
#define WEFT_PART_ROWS 4
#define WEFT_FOR_PART_ROWS(DO) DO(0) DO(1) DO(2) DO(3)
struct SelectPart {
  SelectWord row_0, row_1, row_2, row_3;
};
#else
#define WEFT_PART_ROWS 8
#define WEFT_FOR_PART_ROWS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
struct SelectPart {
  SelectWord row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7;
};
#endif
const uint kCountRows = 4;
const uint kLaneItems = kRows * WEFT_SELECT_VECTOR;
const uint kParts = kLaneItems / WEFT_PART_ROWS;

// The position in the tile of this lane's item in the first row of a part; those of other rows follow kSubgroupSize
// apart.
uint part_position(uint part) {
  return (subgroup_index() * kLaneItems + part * WEFT_PART_ROWS) * kSubgroupSize + subgroup_lane();
}

bool position_is_present(SelectTile tile, uint position) {
  return position - tile.present.x < tile.present.y - tile.present.x;
}

void part_load(SelectTile tile, uint part, inout SelectPart words) {
  SelectItems source = SelectItems(word64_add(tile.source, part_position(part) * WEFT_ITEM_BYTES));
#define WEFT_LOAD_PART_ROW(i) words.row_##i = source.at[i * kSubgroupSize];
  WEFT_FOR_PART_ROWS(WEFT_LOAD_PART_ROW)
#undef WEFT_LOAD_PART_ROW
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

// The item before this subgroup's first. Where there is none, a word that differs from the tile's first item, so that
// it is a head; where the subgroup has no items itself, any.
SelectWord direct_before(SelectTile tile) {
  SelectWord before = SelectWord(0u);
  if (kTest != kTestRunHead) return before;
  const uint position = part_position(0u) - subgroup_lane();
  const bool is_there = (tile.index != 0u || position > tile.present.x) && position <= tile.present.y;
  // Without a branch: another item of the tile, or the one before it, stands in.
  const uint other = tile.index == 0u ? tile.present.x + 1u : 0u;
  Words source = Words(word64_subtract(word64_add(tile.source, (is_there ? position : other) * WEFT_ITEM_BYTES),
                                       uvec2(WEFT_ITEM_BYTES, 0u)));
#if WEFT_ITEM_BYTES == 8
  before = uvec2(source.at[0], source.at[1]);
#else
  before = source.at[0];
#endif
  return is_there ? before : ~before;
}

// Whether an item begins a run; `carried`: on lane 0, the item before the row. `full`: all of the tile's items are
// there. `before` becomes the item before.
bool direct_run_head(SelectTile tile, uint position, SelectWord word, bool full, inout SelectWord carried,
                     out SelectWord before) {
  const SelectWord rotated = subgroup_shuffle(word, (subgroup_lane() - 1u) & (kSubgroupSize - 1u));
  before = mix_word(rotated, carried, subgroup_lane() == 0u);
  const bool differs = direct_differs(before, word);
  carried = rotated;
#ifdef WEFT_OWN_UNIQUE
  const bool first = (tile.index | (position - tile.present.x)) == 0u;
#else
  const bool first = (uint(full) | tile.index | (position - tile.present.x)) == 0u;
#endif
  return differs || first;
}

// The partition of an item, as select_partition_index() returns it.
uint direct_partition_index(SelectTile tile, uint position, SelectWord word, bool full, inout SelectWord carried) {
  SelectWord before;
  if (kTest == kTestRunHead) return direct_run_head(tile, position, word, full, carried, before) ? 0u : 1u;
#if defined(WEFT_OWN_SNIPPET) && defined(WEFT_OWN_UNIQUE)
  return 0u;
#else
  return WEFT_SELECT_PARTITION(item_bits(word));
#endif
}

// How many of this subgroup's items of a tile go to each partition, on all of its lanes. Counts do not ask which lane
// looks at an item, so that whole vectors are loaded.
Accumulator direct_aggregate(SelectTile tile) {
  uint first = 0u;
  uint second = 0u;
  uint last = 0u;  // the position of the last run head, plus 1; 0: none
#if WEFT_ACCUMULATOR == WEFT_RUNS
  bool follows_head = select_follows_head(tile);
#endif
  if (tile.fast) {
    TileVectors source = TileVectors(tile.source);
    SelectBefore carried = direct_before(tile);
    [[dont_unroll]] for (uint row = 0u; row < kRows; row += kCountRows) {
      const uint v = tile_vector(row);
      const TileVector vector_0 = source.at[v];
      const TileVector vector_1 = source.at[v + kSubgroupSize];
      const TileVector vector_2 = source.at[v + 2u * kSubgroupSize];
      const TileVector vector_3 = source.at[v + 3u * kSubgroupSize];
      SelectMasks masks = SelectMasks(0u, 0u);
      select_mask_row(vector_0, 0u, carried, masks);
      select_mask_row(vector_1, 1u, carried, masks);
      select_mask_row(vector_2, 2u, carried, masks);
      select_mask_row(vector_3, 3u, carried, masks);
      if (kTest == kTestRunHead) masks.first |= tile.index == 0u && v == 0u ? 1u : 0u;
#if WEFT_ACCUMULATOR == WEFT_RUNS
      first += bitCount(kNonTrivial ? select_run_ends(masks.first, kCountRows, follows_head) : masks.first);
#else
      first += bitCount(masks.first);
#endif
      if (kThreePartitions) second += bitCount(masks.second);
#if WEFT_ACCUMULATOR == WEFT_RUNS
      const uint bit = uint(findMSB(masks.first | 1u));
      const uint position =
          (v + bit / WEFT_SELECT_VECTOR * kSubgroupSize) * WEFT_SELECT_VECTOR + bit % WEFT_SELECT_VECTOR;
      last = masks.first != 0u ? position + 1u : last;
#endif
    }
  } else {
    SelectWord carried = direct_before(tile);
    [[dont_unroll]] for (uint row = 0u; row < kLaneItems; ++row) {
      const uint position = part_position(0u) + row * kSubgroupSize;
      const uint partition_index = direct_partition_index(tile, position, direct_item(tile, position), false, carried);
      const bool present = position_is_present(tile, position);
#if WEFT_ACCUMULATOR == WEFT_RUNS
      const bool head = present && partition_index == 0u;
      first += uint(kNonTrivial ? select_run_end(head, follows_head) : head);
#else
      first += present && partition_index == 0u ? 1u : 0u;
#endif
      second += present && partition_index == 1u ? 1u : 0u;
      last = present && partition_index == 0u ? position + 1u : last;
    }
  }
#if WEFT_ACCUMULATOR == WEFT_COUNTS
  return subgroup_reduce(uvec2(first, second));
#elif WEFT_ACCUMULATOR == WEFT_RUNS
  // Positions of the chunk.
  return subgroup_reduce(uvec2(first, last == 0u ? 0u : (tile.index - push.first_tile) * kTileItems + last));
#else
  return subgroup_reduce(first);
#endif
}

#endif
#endif
