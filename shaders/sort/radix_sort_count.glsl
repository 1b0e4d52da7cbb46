// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A workgroup counts the digits of a run of keys. A counter has copies in neighbouring words, and lanes next to each
// other use copies next to each other (docs/decisions/histogram-tables.md).
//
// An includer that counts other digits than the pass's defines WEFT_SORT_COUNTED, how many of each key, and before it
// sort_counted_digit(), of an ordered key, which gives one of them as a number of its own.
#ifndef WEFT_RADIX_SORT_COUNT_GLSL
#define WEFT_RADIX_SORT_COUNT_GLSL

#include "sort/radix_sort_count.h"

const uint kRows = 8;
const uint kRoundKeys = kWorkgroupSize * kRows;

#ifndef WEFT_SORT_COUNTED
#define WEFT_SORT_COUNTED 1u
uint sort_counted_digit(uvec2 ordered, uint) { return sort_bits(ordered, push.shift, push.digit_mask); }
#endif

shared uint weft_sort_counters[WEFT_SORT_COUNTED * kBins * kCopies];

// Counts the keys [x, y). Every invocation of the workgroup calls.
void sort_count_digits(uvec2 share) {
  const uint lane = sort_lane();
  for (uint i = lane; i < WEFT_SORT_COUNTED * kBins * kCopies; i += kWorkgroupSize) weft_sort_counters[i] = 0u;
  barrier();

  const uint length = share.y - share.x;
  const uint copy = lane & (kCopies - 1u);
  const uint rounds = length / kRoundKeys + (length % kRoundKeys != 0u ? 1u : 0u);
  for (uint round = 0u; round < rounds; ++round) {
    const uint first = round * kRoundKeys;
    const uvec2 source = sort_address(push.keys, share.x + first + lane, kKeyWords);
    const uint left = length - first;
    uvec2 keys[kRows];
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      keys[row] = uvec2(0u);
      if (row * kWorkgroupSize + lane < left) keys[row] = sort_load(source, row * kWorkgroupSize, kKeyWords);
    }
    [[unroll]] for (uint row = 0; row < kRows; ++row)
      if (row * kWorkgroupSize + lane < left) {
        const uvec2 ordered = sort_ordered(keys[row]);
        [[unroll]] for (uint i = 0; i < WEFT_SORT_COUNTED; ++i)
          atomicAdd(weft_sort_counters[sort_counted_digit(ordered, i) * kCopies + copy], 1u);
      }
  }
  barrier();
}

// How many have the digit.
uint sort_counted(uint digit) {
  uint n = 0u;
  // Each lane begins with another copy, so that they read from different banks.
  for (uint c = 0u; c < kCopies; ++c) n += weft_sort_counters[digit * kCopies + ((c + digit) & (kCopies - 1u))];
  return n;
}

#endif
