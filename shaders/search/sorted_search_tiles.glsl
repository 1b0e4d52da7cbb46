// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tiles of the merge of needles, A, and haystack, B, as the kernels of SortedSearch share them. A needle goes before
// equal keys of the haystack where its lower bound is asked for, and after them where the upper is: what is before it
// then is its bound.
#ifndef WEFT_SORTED_SEARCH_TILES_GLSL
#define WEFT_SORTED_SEARCH_TILES_GLSL

#include "weft/subgroup.glsl"
#include "search/sorted_search.h"

const uint kTileItems = kWorkgroupSize * kMergeLaneKeys;

#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { SortedSearchPush push; };

uint needle_count() {
  return count_of(push.needle_count, push.needle_count_words, uvec2(push.needle_maximum, 0u)).x;
}
uint haystack_count() {
  return count_of(push.haystack_count, push.haystack_count_words, uvec2(push.haystack_maximum, 0u)).x;
}

// What a workgroup of the second pass has of both: pieces that are `first` of the ranges, and how many.
struct SearchTile {
  uint first_needle, needles;
  uint first_key, keys;
};

// Without needles there is nothing to do, or no such tile.
SearchTile search_tile(uint needles, uint haystack) {
  const uint total = needles + haystack;
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return SearchTile(0u, 0u, 0u, 0u);
  const uint begin = tile_begin(tile, total);
  const uint count = tile_begin(tile + 1u, total) - begin;
  Words splits = Words(push.splits);
  const uint first_needle = subgroup_uniform(splits.at[tile]);
  // Of ranges that are not sorted, the tiles' begins may fall.
  const uint next_needle = clamp(subgroup_uniform(splits.at[tile + 1u]), first_needle, first_needle + count);
  const uint in_tile = next_needle - first_needle;
  return SearchTile(first_needle, in_tile, begin - first_needle, count - in_tile);
}

#endif
