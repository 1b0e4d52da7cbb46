// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of RadixSort share: which keys a workgroup has, and where its counts lie.
#ifndef WEFT_RADIX_SORT_SHARE_GLSL
#define WEFT_RADIX_SORT_SHARE_GLSL

#include "sort/radix_sort.h"
#define WEFT_SORT_PUSH RadixSortPush
#include "sort/radix_sort_digits.glsl"

uint sort_count() { return count_of(push.count, push.count_words, uvec2(push.count_maximum, 0u)).x; }

// The keys [x, y) of a workgroup.
uvec2 sort_share(uint count) { return tile_share(count, gl_WorkGroupID.x, push.groups); }

Words sort_table_entry(uint digit, uint group) {
  const uint index = push.totals != uvec2(0u) ? digit * push.table_row + group : group * kBins + digit;
  return Words(word64_add(push.table, word64_multiply(index, 4u)));
}

#endif
