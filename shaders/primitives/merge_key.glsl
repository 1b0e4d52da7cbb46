// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Keys of Merge, as they lie in memory and in registers. A built-in key is mapped to an unsigned number of its own size in the order of
// the merge, and back: nothing is lost, so that equal keys have equal bits and -0 is in front of 0. NaN lies outside of all numbers,
// by sign. A falling order turns the number over, not the places of keys.
#ifndef WEFT_MERGE_KEY_GLSL
#define WEFT_MERGE_KEY_GLSL

#include "weft/buffers.glsl"
#include "weft/ordered_key.glsl"
#include "weft/word64.glsl"

layout(constant_id = 6) const uint kKeyBytes = 4;  // 1, 2, or 4 * kKeyWords
layout(constant_id = 5) const bool kDescending = false;

// Bits of a key's last word.
const uint kKeyBits = 8u * (kKeyBytes < 4u ? kKeyBytes : 4u);
const uint kKeyMask = ~0u >> (32u - kKeyBits);
const uint kKeySign = 1u << (kKeyBits - 1u);

// Of a key of one word or less `bits.y` is 0, and so is the result's.
uvec2 merge_key(uvec2 bits) {
  const uint last = kKeyWords == 1u ? bits.x : bits.y;
  uint flip_last = kKeyOrder == kKeyUnsigned ? 0u : kKeySign;
  uint flip = 0u;
  if (kKeyOrder == kKeyFloat) {
    flip = (last & kKeySign) != 0u ? ~0u : 0u;
    flip_last |= flip & kKeyMask;
  }
  if (kDescending) {
    flip = ~flip;
    flip_last ^= kKeyMask;
  }
  return kKeyWords == 1u ? uvec2(bits.x ^ flip_last, 0u) : uvec2(bits.x ^ flip, bits.y ^ flip_last);
}

uvec2 merge_key_bits(uvec2 key) {
  if (kDescending) key = kKeyWords == 1u ? uvec2(key.x ^ kKeyMask, 0u) : ~key;
  const uint last = kKeyWords == 1u ? key.x : key.y;
  uint flip_last = kKeyOrder == kKeyUnsigned ? 0u : kKeySign;
  uint flip = 0u;
  if (kKeyOrder == kKeyFloat) {
    flip = (last & kKeySign) != 0u ? 0u : ~0u;
    flip_last |= flip & kKeyMask;
  }
  return kKeyWords == 1u ? uvec2(key.x ^ flip_last, 0u) : uvec2(key.x ^ flip, key.y ^ flip_last);
}

// Key i of those that lie at `keys`; i is below 2^24.
uvec2 merge_key_at(uvec2 keys, uint i) {
  uvec2 bits = uvec2(0u);
  if (kKeyBytes < 4u) {
    const uint byte = (keys.x & 3u) + i * kKeyBytes;
    bits.x = (Words(uvec2(keys.x & ~3u, keys.y)).at[byte >> 2] >> (8u * (byte & 3u))) & kKeyMask;
  } else if (kKeyWords == 1u) {
    bits.x = Words(keys).at[i];
  } else if ((keys.x & 7u) == 0u) {
    bits = Words2(keys).at[i];
  } else {
    bits = uvec2(Words(keys).at[2u * i], Words(keys).at[2u * i + 1u]);
  }
  return merge_key(bits);
}

#endif
