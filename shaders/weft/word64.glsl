// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Unsigned 64-bit arithmetic on pairs of words, low first, for devices with and without shaderInt64. Device addresses
// and item counts are such pairs.
#ifndef WEFT_WORD64_GLSL
#define WEFT_WORD64_GLSL

uvec2 word64_add(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}

uvec2 word64_add(uvec2 a, uint b) { return word64_add(a, uvec2(b, 0u)); }

uvec2 word64_subtract(uvec2 a, uvec2 b) {
  uint borrow;
  const uint low = usubBorrow(a.x, b.x, borrow);
  return uvec2(low, a.y - b.y - borrow);
}

uvec2 word64_multiply(uint a, uint b) {
  uint high, low;
  umulExtended(a, b, high, low);
  return uvec2(low, high);
}

// Modulo 2^64.
uvec2 word64_times(uvec2 a, uint b) { return word64_add(word64_multiply(a.x, b), uvec2(0u, a.y * b)); }

bool word64_less(uvec2 a, uvec2 b) {
  return mix(a.y < b.y, a.x < b.x, a.y == b.y);
}

uvec2 word64_min(uvec2 a, uvec2 b) { return word64_less(b, a) ? b : a; }
uvec2 word64_max(uvec2 a, uvec2 b) { return word64_less(a, b) ? b : a; }

// The sum, or 2^64 - 1 where it is larger. Associative, as addition is.
uvec2 word64_add_saturated(uvec2 a, uvec2 b) {
  const uvec2 sum = word64_add(a, b);
  return word64_less(sum, a) ? uvec2(~0u) : sum;
}

// `bits` is 1 to 31.
uvec2 word64_shift_right(uvec2 a, uint bits) { return uvec2((a.x >> bits) | (a.y << (32u - bits)), a.y >> bits); }

// `bits` is 0 to 63.
uvec2 word64_shift_left(uint a, uint bits) {
  const uint low_bits = bits & 31u;
  const uint low = a << low_bits;
  return bits >= 32u ? uvec2(0u, low) : uvec2(low, (a >> 1) >> (31u - low_bits));
}

#endif
