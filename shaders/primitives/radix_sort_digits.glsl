// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of RadixSort share: digits of keys, and which keys a workgroup has.
//
// Keys are sorted as unsigned numbers of the same order: the bits to be flipped for that are pushed, so that one kernel serves all types
// of a size and both orders.
//
// Specialization constants: 2 kKeyWords, 3 kDigitBits, 4 kTileKeys, 5 kFlips.
#ifndef WEFT_RADIX_SORT_DIGITS_GLSL
#define WEFT_RADIX_SORT_DIGITS_GLSL

#define WEFT_OP 0  // add
#include "weft/workgroup_scan.glsl"
#include "primitives/radix_sort.h"

layout(constant_id = 2) const uint kKeyWords = 1;   // 1 or 2
layout(constant_id = 3) const uint kDigitBits = 8;  // 1 to 8, of a pass at most
layout(constant_id = 4) const uint kTileKeys = 4096;
layout(constant_id = 5) const bool kFlips = true;  // false: keys are in order as they are

const uint kTileItems = kTileKeys;
#include "weft/tile_range.glsl"

const uint kBins = 1u << kDigitBits;

layout(push_constant, std430) uniform Push { RadixSortPush push; };

uint sort_count() { return count_of(push.count, push.count_words, uvec2(push.count_maximum, 0u)).x; }

uint sort_lane() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

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

// Item `index` of those at `address`, of 1 or 2 words on a boundary of one. (The branch is the same for all.)
uvec2 sort_load(uvec2 address, uint index, uint words) {
  if (words == 1u) return uvec2(Words(address).at[index], 0u);
  if ((address.x & 7u) == 0u) return Words2(address).at[index];
  return uvec2(Words(address).at[2u * index], Words(address).at[2u * index + 1u]);
}

uvec2 sort_address(uvec2 address, uint index, uint words) {
  return word64_add(address, word64_multiply(index, 4u * words));
}

// A key's digit in this pass; below kBins, whatever the key.
uint sort_digit(uvec2 key) {
  uint high = key.x;
  if (kKeyWords == 2u) high = key.y;
  uint low = key.x;
  if (kFlips) {
    const uint sign = uint(int(high) >> 31);
    high ^= (sign & push.flip_negative_high) ^ push.flip_high;
    low ^= (sign & push.flip_negative_low) ^ push.flip_low;
  }
  if (kKeyWords == 1u) return (high >> push.shift) & push.digit_mask;
  const bool above = push.shift >= 32u;
  const uint from = above ? high : low;
  const uint next = above ? 0u : high;
  const uint bits = push.shift & 31u;
  return ((from >> bits) | ((next << 1) << (31u - bits))) & push.digit_mask;
}

Words sort_table_entry(uint digit, uint group) {
  const uint index = push.totals != uvec2(0u) ? digit * push.table_row + group : group * kBins + digit;
  return Words(word64_add(push.table, word64_multiply(index, 4u)));
}

#endif
