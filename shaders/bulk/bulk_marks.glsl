// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of BulkRemove and BulkInsert: a workgroup has a tile, marks the positions of the tile's indices, and
// counts the marks.
//
// A kernel defines, beside what bulk_tiles.glsl needs,
//   uint bulk_place(BulkTile tile, uint i, uvec2 index)   the position of index i of the tile's
#ifndef WEFT_BULK_MARKS_GLSL
#define WEFT_BULK_MARKS_GLSL

#include "bulk/bulk_tiles.glsl"

const uint kMarkPlaces = (kTileItems + 31u) / 32u * 32u;
#include "weft/marks.glsl"

struct BulkTile {
  uvec2 items;    // items of the call
  uvec2 begin;    // the tile's first position that has an item, as that item's number
  uvec2 present;  // positions x to y - 1 have one
  uvec2 first;    // indices before the tile
  uint indices;   // how many it has
};

uint bulk_position(BulkTile tile, uint i, uvec2 index);

uint bulk_lane_position() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

// Unit `row` of this lane.
uint bulk_unit(uint row) { return row * kWorkgroupSize + bulk_lane_position(); }

// The item of the tile that a unit is of.
uint bulk_item(uint unit) { return kItemUnits == 1u ? unit : min(unit / kItemUnits, kTileItems - 1u); }

BulkTile bulk_tile(BulkCounts counts, TileRange range, uint index) {
  BulkTile tile;
  tile.items = counts.items;
  tile.begin = bulk_tile_begin(index, bulk_positions(counts));
  tile.present = tile_present(range, index);
  Words2 splits = Words2(push.splits);
  const uvec2 next = subgroup_uniform(splits.at[index + 1u]);
  tile.first = subgroup_uniform(splits.at[index]);
  // Of indices that are not in order, there may be any number between the two.
  const uvec2 between = word64_subtract(next, tile.first);
  tile.indices = between.y != 0u ? 0u : min(between.x, tile.present.y - tile.present.x);
  return tile;
}

// ---- marks ----

// Marks in the words of which this lane has found some neighbouring ones, one word at a time.
struct BulkMarks {
  uint word, bits;
};

void bulk_mark(inout BulkMarks marks, BulkTile tile, uint i, uvec2 index) {
  const uint position = bulk_position(tile, i, index);
  if (i >= tile.indices || position < tile.present.x || position >= tile.present.y) return;
  if (position >> 5 != marks.word) {
    if (marks.bits != 0u) marks_set(marks.word, marks.bits);
    marks = BulkMarks(position >> 5, 0u);
  }
  marks.bits |= 1u << (position & 31u);
}

// Marks the positions of the tile's indices. A lane looks at vectors of 4 words, which lie on their
// boundary if indices do on theirs.
void bulk_mark(BulkTile tile) {
  const uint vector_indices = 4u / kIndexWords;
  const uvec2 address = word64_add(push.indices, word64_times(tile.first, 4u * kIndexWords));
  const bool are_vectors = (address.x & (4u * kIndexWords - 1u)) == 0u;
  const uint head = are_vectors ? ((address.x >> 2) & 3u) / kIndexWords : 0u;
  const uvec2 frame = word64_subtract(address, uvec2(4u * kIndexWords * head, 0u));
  const uint end = tile.indices == 0u ? 0u : head + tile.indices;
  // At most kTileItems / (vector_indices * kWorkgroupSize) + 2 rounds.
  for (uint first = bulk_lane_position() * vector_indices; first < end; first += kWorkgroupSize * vector_indices) {
    uvec4 words = uvec4(0u);
    if (are_vectors && first >= head && first + vector_indices <= end) {
      words = Words4(frame).at[first / vector_indices];
    } else {
      [[unroll]] for (uint k = 0; k < 4u; ++k) {
        const uint at = first + k / kIndexWords;
        if (at >= head && at < end) words[k] = Words(frame).at[first * kIndexWords + k];
      }
    }
    // (Indices before the tile's first have huge numbers here.)
    BulkMarks marks = BulkMarks(~0u, 0u);
    if (kIndexWords == 1u) {
      [[unroll]] for (uint k = 0; k < 4u; ++k) bulk_mark(marks, tile, first + k - head, uvec2(words[k], 0u));
    } else {
      bulk_mark(marks, tile, first - head, words.xy);
      bulk_mark(marks, tile, first + 1u - head, words.zw);
    }
    if (marks.bits != 0u) marks_set(marks.word, marks.bits);
  }
}

// ---- units ----

// Whether units lie on their boundaries in a range from `address` on.
bool bulk_has_whole_units(uvec2 address) {
  return kUnitWords == 1u ? true : (address.x & (4u * kUnitWords - 1u)) == 0u;
}

// `whole`: they do. Components that a unit does not have are 0.
uvec4 unit_load(uvec2 address, uint unit, bool whole) {
  uvec4 words = uvec4(0u);
  if (kUnitWords == 1u) {
    words.x = Words(address).at[unit];
  } else if (kUnitWords == 2u) {
    if (whole)
      words.xy = Words2(address).at[unit];
    else
      words.xy = uvec2(Words(address).at[2u * unit], Words(address).at[2u * unit + 1u]);
  } else {
    if (whole)
      words = Words4(address).at[unit];
    else
      [[unroll]] for (uint i = 0; i < 4u; ++i) words[i] = Words(address).at[4u * unit + i];
  }
  return words;
}

void unit_store(uvec2 address, uint unit, bool whole, uvec4 words) {
  if (kUnitWords == 1u) {
    Words(address).at[unit] = words.x;
  } else if (kUnitWords == 2u) {
    if (whole) {
      Words2(address).at[unit] = words.xy;
    } else {
      Words(address).at[2u * unit] = words.x;
      Words(address).at[2u * unit + 1u] = words.y;
    }
  } else {
    if (whole)
      Words4(address).at[unit] = words;
    else
      [[unroll]] for (uint i = 0; i < 4u; ++i) Words(address).at[4u * unit + i] = words[i];
  }
}

// ---- words of items of less than a word ----

const uint kItemBits = kNarrow ? 8u * kItemBytes : 32u;

// The low `items` items of a word; at most kWordItems.
uint word_mask_of(uint items) { return items >= kWordItems ? ~0u : (1u << (items * kItemBits)) - 1u; }

// Stores those items of word `word` whose positions are from `begin` to `end` - 1. Others may be another workgroup's.
void word_store(uvec2 address, uint word, uint begin, uint end, uint bits) {
  const uint first = word * kWordItems;
  const uint mask = word_mask_of(max(end, first) - first) & ~word_mask_of(max(begin, first) - first);
  merge_word(Words(address), word, bits, mask);
}

#endif
