// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Storing single keys and values, of any size; those of less than a word by atomics. After weft/segment.glsl.
#ifndef WEFT_VALUE_STORE_GLSL
#define WEFT_VALUE_STORE_GLSL

void bits_store(uvec2 address, uint bytes, uvec2 bits) {
  Words target = Words(uvec2(address.x & ~3u, address.y));
  if (bytes == 8u) {
    target.at[0] = bits.x;
    target.at[1] = bits.y;
  } else if (bytes == 4u) {
    target.at[0] = bits.x;
  } else {
    const uint shift = 8u * (address.x & 3u);
    merge_word(target, 0u, bits.x << shift, ((1u << (8u * bytes)) - 1u) << shift);
  }
}

void value_store(uvec2 address, Value value) {
#if WEFT_ACCUMULATOR == WEFT_OWN
  Words target = Words(address);
  [[unroll]] for (uint i = 0; i < WEFT_OWN_RESULT_WORDS; ++i) target.at[i] = word_of(value, i);
#else
  bits_store(address, WEFT_OUTPUT_BYTES, bits_of_accumulator(value));
#endif
}

#endif
