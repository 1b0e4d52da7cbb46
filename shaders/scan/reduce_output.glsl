// SPDX-License-Identifier: MIT OR Apache-2.0
//
// How Reduce writes its result, and how items become keys for arg_min and arg_max.
#ifndef WEFT_REDUCE_OUTPUT_GLSL
#define WEFT_REDUCE_OUTPUT_GLSL

#if WEFT_ACCUMULATOR == WEFT_ARG

// Keys order as unsigned numbers as items do; floats by IEEE totalOrder: negative ones have all bits turned, others the
// sign.
#if WEFT_ITEM_BYTES == 8
#define ReduceKey uint64_t
ReduceKey key_of_words(uvec2 words) { return pack64(words); }
uvec2 words_of_key(ReduceKey key) { return unpack32(key); }
#else
#define ReduceKey uint
ReduceKey key_of_words(uvec2 words) { return words.x; }
uvec2 words_of_key(ReduceKey key) { return uvec2(key, 0u); }
#endif
const ReduceKey kSignBit = ReduceKey(1) << (8 * WEFT_ITEM_BYTES - 1);
const ReduceKey kItemMask = (kSignBit - ReduceKey(1)) | kSignBit;

ReduceKey key_of_item(uvec2 bits) {
  const ReduceKey key = key_of_words(bits);
#if WEFT_ITEM == WEFT_I32 || WEFT_ITEM == WEFT_I64
  return key ^ kSignBit;
#elif WEFT_ITEM == WEFT_F16 || WEFT_ITEM == WEFT_F32 || WEFT_ITEM == WEFT_F64
  return key ^ ((key & kSignBit) != ReduceKey(0) ? kItemMask : kSignBit);
#else
  return key;
#endif
}

uvec2 item_of_key(uvec2 words) {
  const ReduceKey key = key_of_words(words);
#if WEFT_ITEM == WEFT_I32 || WEFT_ITEM == WEFT_I64
  return words_of_key(key ^ kSignBit);
#elif WEFT_ITEM == WEFT_F16 || WEFT_ITEM == WEFT_F32 || WEFT_ITEM == WEFT_F64
  return words_of_key(key ^ ((key & kSignBit) != ReduceKey(0) ? kSignBit : kItemMask));
#else
  return words;
#endif
}

void reduce_write(uvec2 output_address, uvec2 initial, Accumulator v) {
  Words words = Words(output_address);
  const bool none = v.index == uvec2(~0u);
  const uvec2 item = none ? uvec2(0u) : item_of_key(v.key);
  words.at[0] = v.index.x;
  words.at[1] = v.index.y;
  words.at[2] = item.x;
  words.at[3] = item.y;
}

#elif WEFT_ACCUMULATOR == WEFT_OWN

void reduce_write(uvec2 output_address, uvec2 initial, Accumulator v) {
  Words words = Words(output_address);
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i) words.at[i] = word_of(v, i);
}

#else

void reduce_write(uvec2 output_address, uvec2 initial, Accumulator v) {
  const uvec2 bits = bits_of_accumulator(combine(accumulator_of_bits(initial), v));
#if WEFT_OUTPUT_BYTES == 8
  Words words = Words(output_address);
  words.at[0] = bits.x;
  words.at[1] = bits.y;
#elif WEFT_OUTPUT_BYTES == 4
  Words(output_address).at[0] = bits.x;
#else
  const uint shift = 8u * (output_address.x & 3u);
  const uint mask = (1u << (8u * WEFT_OUTPUT_BYTES)) - 1u;
  merge_word(Words(uvec2(output_address.x & ~3u, output_address.y)), 0u, bits.x << shift, mask << shift);
#endif
}

#endif
#endif
