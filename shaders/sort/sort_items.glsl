// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Items that sorts move, and keys as unsigned numbers of the same order: the bits to be flipped for that are pushed, so
// that one kernel serves all types of a size and both orders.
//
// The includer defines kKeyWords and kFlips, and `push` with flip_high, flip_low, flip_negative_high and
// flip_negative_low.
#ifndef WEFT_SORT_ITEMS_GLSL
#define WEFT_SORT_ITEMS_GLSL

#include "weft/buffers.glsl"
#include "weft/word64.glsl"

// Item `index` of those at `address`, of 1 or 2 words on a boundary of one. (The branch is the same for all.)
uvec2 sort_load(uvec2 address, uint index, uint words) {
  if (words == 1u) return uvec2(Words(address).at[index], 0u);
  if ((address.x & 7u) == 0u) return Words2(address).at[index];
  return uvec2(Words(address).at[2u * index], Words(address).at[2u * index + 1u]);
}

uvec2 sort_address(uvec2 address, uint index, uint words) {
  return word64_add(address, word64_multiply(index, 4u * words));
}

void sort_store(uvec2 items, uint index, uvec2 item, uint words) {
  Words target = Words(sort_address(items, index, words));
  target.at[0] = item.x;
  if (words == 2u) target.at[1] = item.y;
}

uvec2 sort_ordered(uvec2 key) {
  if (!kFlips) return key;
  uint high = key.x;
  if (kKeyWords == 2u) high = key.y;
  const uint sign = uint(int(high) >> 31);
  high ^= (sign & push.flip_negative_high) ^ push.flip_high;
  if (kKeyWords == 1u) return uvec2(high, 0u);
  return uvec2(key.x ^ (sign & push.flip_negative_low) ^ push.flip_low, high);
}

// The bits of a mask from `shift` on.
uint sort_bits(uvec2 ordered, uint shift, uint mask) {
  if (kKeyWords == 1u) return (ordered.x >> shift) & mask;
  const bool above = shift >= 32u;
  const uint from = above ? ordered.y : ordered.x;
  const uint next = above ? 0u : ordered.y;
  const uint bits = shift & 31u;
  return ((from >> bits) | ((next << 1) << (31u - bits))) & mask;
}

// The key of a number that sort_ordered() gave. flip_negative_high leaves the sign as it is.
uvec2 sort_unordered(uvec2 ordered) {
  if (!kFlips) return ordered;
  const uint high = (kKeyWords == 2u ? ordered.y : ordered.x) ^ push.flip_high;
  const uint sign = uint(int(high) >> 31);
  const uint key_high = high ^ (sign & push.flip_negative_high);
  if (kKeyWords == 1u) return uvec2(key_high, 0u);
  return uvec2(ordered.x ^ push.flip_low ^ (sign & push.flip_negative_low), key_high);
}

#endif
