// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A range of items cut into tiles of kTileItems, which the includer defines.
#ifndef WEFT_TILE_RANGE_GLSL
#define WEFT_TILE_RANGE_GLSL

#include "weft/buffers.glsl"
#include "weft/word64.glsl"

// The count a call works on: `value`, or what lies at `address`, at most `value`.
uvec2 count_of(uvec2 address, uint words, uvec2 value) {
  if (address == uvec2(0u)) return value;
  Words count = Words(address);
  return subgroup_uniform(word64_min(value, uvec2(count.at[0], words == 2u ? count.at[1] : 0u)));
}

// Tiles of `total` items.
uint tile_count(uint total) { return total / kTileItems + (total % kTileItems != 0u ? 1u : 0u); }

// Where tile `tile` of them begins, or the last ends.
uint tile_begin(uint tile, uint total) { return tile < tile_count(total) ? tile * kTileItems : total; }

// The items [x, y) of share `index`: tiles are shared out evenly, in order.
uvec2 tile_share(uint total, uint index, uint shares) {
  const uint tiles = tile_count(total);
  const uint each = tiles / shares, rest = tiles % shares;
  const uint first = index * each + min(index, rest);
  return uvec2(tile_begin(first, total), tile_begin(first + each + (index < rest ? 1u : 0u), total));
}

// A range of items cut into tiles, all in units of items; `end` counts from the boundary `head` items before the first.
struct TileRange {
  uvec2 end;
  uint head;
};

TileRange tile_range(uvec2 count, uint head) {
  // An empty range has no tiles, wherever it begins.
  return TileRange(count == uvec2(0u) ? uvec2(0u) : word64_add(count, head), head);
}

bool tile_exists(TileRange range, uint tile) { return word64_less(word64_multiply(tile, kTileItems), range.end); }

// The items [x, y) of a tile that are there.
uvec2 tile_present(TileRange range, uint tile) {
  const uvec2 left = word64_subtract(range.end, word64_multiply(tile, kTileItems));
  return uvec2(tile == 0u ? range.head : 0u, left.y != 0u ? kTileItems : min(left.x, kTileItems));
}

bool tile_is_full(uvec2 present) { return present.x == 0u && present.y == kTileItems; }

#endif
