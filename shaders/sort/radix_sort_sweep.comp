// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A pass of RadixSort's one-sweep form: a workgroup moves a tile of keys after those with a smaller digit, or with the
// same digit and an earlier position.
//
// kernel: OPTIMIZED :
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/radix_sort.h"
#define WEFT_SORT_PUSH RadixSortSweepPush
#include "sort/radix_sort_digits.glsl"

uint sort_count() { return count_of(push.count, push.count_words, uvec2(push.count_maximum, 0u)).x; }

#define WEFT_SORT_LOOK_BACK
#include "sort/radix_sort_move.glsl"

void main() {
  const uint tile = sort_take_tile();
  const uint count = sort_count();
  if (tile >= tile_count(count)) return;
  const uint first = tile * kTileKeys;
  const uint present = min(count - first, kTileKeys);
  SortDigit own_0 = SortDigit(tile, tile, 0u, 0u, 0u), own_1 = own_0;
  sort_move_tile(first, present, count, present == kTileKeys && !sort_is_far(count), own_0, own_1);
}
