// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of RadixSort share: which keys a workgroup has, and where its counts lie.
#ifndef WEFT_RADIX_SORT_SHARE_GLSL
#define WEFT_RADIX_SORT_SHARE_GLSL

#include "sort/radix_sort.h"
#define WEFT_SORT_PUSH RadixSortPush
#include "sort/radix_sort_digits.glsl"

uint sort_count() { return count_of(push.count, push.count_words, uvec2(push.count_maximum, 0u)).x; }

// The keys [x, y) of a workgroup: tiles shared out evenly, in order.
uvec2 sort_share(uint count) {
  const uint tiles = count / kTileKeys + (count % kTileKeys != 0u ? 1u : 0u);
  const uint each = tiles / push.groups;
  const uint rest = tiles % push.groups;
  const uint group = gl_WorkGroupID.x;
  const uint first = group * each + min(group, rest);
  const uint end = first + each + (group < rest ? 1u : 0u);
  return uvec2(first < tiles ? first * kTileKeys : count, end < tiles ? end * kTileKeys : count);
}

Words sort_table_entry(uint digit, uint group) {
  const uint index = push.totals != uvec2(0u) ? digit * push.table_row + group : group * kBins + digit;
  return Words(word64_add(push.table, word64_multiply(index, 4u)));
}

#endif
