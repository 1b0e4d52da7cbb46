// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of MergeSort share: the count, tiles, and the two runs that a tile is of.
#ifndef WEFT_PRIMITIVES_MERGE_SORT_RANGES_GLSL
#define WEFT_PRIMITIVES_MERGE_SORT_RANGES_GLSL

#include "weft/subgroup.glsl"
#include "sort/merge_sort.h"
#include "merge/merge_key.glsl"

const uint kTileItems = kWorkgroupSize * kMergeKeys;

#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { MergeSortPush push; };

uint merge_sort_count() { return count_of(push.count, push.count_words, uvec2(push.maximum, 0u)).x; }

// Two runs one after the other: count_a keys from `begin` on, then count_b, which may be fewer or none.
struct MergeSortPair {
  uint begin, count_a, count_b;
};

// That of a tile that exists.
MergeSortPair merge_sort_pair(uint tile, uint total) {
  MergeSortPair pair;
  pair.begin = (tile >> push.pair_shift << push.pair_shift) * kTileItems;
  pair.count_a = min(push.run, total - pair.begin);
  pair.count_b = min(push.run, total - pair.begin - pair.count_a);
  return pair;
}

#endif
