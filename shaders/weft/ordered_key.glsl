// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Keys of 4 and 8 bytes as unsigned pairs of words, low first, that are in the order of the keys: integers and floats
// of either size are then compared by word64_less(), and no device feature is needed. Floats are in the order of
// numbers, -0 is 0; NaN is before all numbers if its sign bit is set, else after them.
#ifndef WEFT_ORDERED_KEY_GLSL
#define WEFT_ORDERED_KEY_GLSL

#include "weft/buffers.glsl"
#include "weft/ordered_key.h"
#include "weft/word64.glsl"

// Values of kKeyOrder.
const uint kKeyUnsigned = 0;
const uint kKeySigned = 1;
const uint kKeyFloat = 2;
const uint kKeyNumber = 3;  // merge_key.glsl: floats of which -0 is 0, too

// Of a key of one word `bits.y` is 0, and so is the result's.
uvec2 ordered_key(uvec2 bits) {
  if (kKeyOrder == kKeyUnsigned) return bits;
  uint flip = 0u;
  if (kKeyOrder == kKeyFloat) {
    const uint high = kKeyWords == 1u ? bits.x : bits.y;
    const uint others = kKeyWords == 1u ? 0u : bits.x;
    const bool is_zero = ((high << 1) | others) == 0u;
    bits = is_zero ? uvec2(0u) : bits;
    flip = is_zero ? 0u : 0u - (high >> 31);
  }
  if (kKeyWords == 1u) return uvec2(bits.x ^ (flip | 0x80000000u), 0u);
  return uvec2(bits.x ^ flip, bits.y ^ (flip | 0x80000000u));
}

// Key `index` of those at `keys`, which lie on a boundary of 4 bytes.
uvec2 ordered_key_load(uvec2 keys, uint index) {
  Words source = Words(word64_add(keys, word64_multiply(index, 4u * kKeyWords)));
  uvec2 bits = uvec2(source.at[0], 0u);
  if (kKeyWords == 2u) bits.y = source.at[1];
  return ordered_key(bits);
}

#endif
