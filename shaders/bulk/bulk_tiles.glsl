// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tiles of BulkRemove, of its inputs, and of BulkInsert, of its outputs. A mark says what a position of a tile has
// on it: that the item is removed, or that it is one that comes in.
//
// A lane moves an item or a part of one at a time, a unit, as its neighbours do theirs. Items of less than a
// word lie in a tile as they do in words of the inputs, or of the outputs: before the first there are
// `head` positions without an item.
//
// A kernel defines
//   uvec2 bulk_places(BulkCounts counts)   items in all tiles
//   uint bulk_head()                       positions before the first
#ifndef WEFT_BULK_TILES_GLSL
#define WEFT_BULK_TILES_GLSL

#include "weft/subgroup.glsl"
#include "bulk/bulk.h"

const bool kNarrow = kItemBytes < 4u;
const uint kUnitWords = kItemBytes % 16u == 0u ? 4u : (kItemBytes % 8u == 0u ? 2u : 1u);
const uint kItemUnits = kNarrow ? 1u : kItemBytes / (4u * kUnitWords);
const uint kWordItems = kNarrow ? 4u / kItemBytes : 1u;  // items of a unit
const uint kTileUnits = kWorkgroupSize * kRows;
const uint kTileItems = kNarrow ? kTileUnits * kWordItems : kTileUnits / kItemUnits;

#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { BulkPush push; };

struct BulkCounts {
  uvec2 items, indices;
};

BulkCounts bulk_counts() {
  return BulkCounts(count_of(push.count, push.count_words, push.count_value),
                    count_of(push.index_count, push.index_count_words, push.index_count_value));
}

uvec2 bulk_positions(BulkCounts counts);
uint bulk_head();

// Positions before the first item of a range, so that its words are whole ones.
uint bulk_head_of(uvec2 address) { return kNarrow ? (address.x & 3u) / kItemBytes : 0u; }

uvec2 bulk_address(uvec2 range, uvec2 item) { return word64_add(range, word64_times(item, kItemBytes)); }

// The first item of a tile, or the end of all for the tile after the last.
uvec2 bulk_tile_begin(uint tile, uvec2 positions) {
  if (tile == 0u) return uvec2(0u);
  return word64_min(word64_subtract(word64_multiply(tile, kTileItems), uvec2(bulk_head(), 0u)), positions);
}

uvec2 bulk_index(uvec2 i) {
  Words source = Words(word64_add(push.indices, word64_times(i, 4u * kIndexWords)));
  uvec2 index = uvec2(source.at[0], 0u);
  if (kIndexWords == 2u) index.y = source.at[1];
  return index;
}

#endif
