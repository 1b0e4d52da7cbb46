// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Keys that are merged, as they lie in memory and in registers. Those of a snippet are its items. A built-in key is
// mapped to an unsigned number of its own size in the order of the merge, and back: nothing is lost, so that equal keys
// have equal bits and -0 is before 0. (In the order kKeyNumber, which is not mapped back, -0 is 0.) NaN lies outside of
// all numbers, by sign. A falling order turns the number over, not the positions of keys.
#ifndef WEFT_MERGE_KEY_GLSL
#define WEFT_MERGE_KEY_GLSL

#include "weft/buffers.glsl"
#include "weft/word64.glsl"

// Kernels around a snippet are compiled for an item.
#ifdef WEFT_ITEM

#define WEFT_MERGE_OWN 1
#define WEFT_OP 0
#include "weft/operator.glsl"

const uint kKeyBytes = 4u * WEFT_ITEM_WORDS;

struct MergeKey {
  uint words[WEFT_ITEM_WORDS];
};

MergeKey merge_key_at(uvec2 keys, uint i) {
  MergeKey key;
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) key.words[w] = Words(keys).at[i * WEFT_ITEM_WORDS + w];
  return key;
}

bool merge_key_less(MergeKey a, MergeKey b) { return less(own_item(a.words), own_item(b.words)); }

#else

#define WEFT_MERGE_OWN 0
#include "merge/merge_key.h"
#include "weft/ordered_key.glsl"

// Bits of a key's last word.
const uint kKeyBits = 8u * (kKeyBytes < 4u ? kKeyBytes : 4u);
const uint kKeyMask = ~0u >> (32u - kKeyBits);
const uint kKeySign = 1u << (kKeyBits - 1u);

// Of a key of one word or less `bits.y` is 0, and so is the result's.
uvec2 merge_key(uvec2 bits) {
  if (kKeyOrder == kKeyNumber) {
    const uint high = kKeyWords == 1u ? bits.x : bits.y;
    const uint low = kKeyWords == 1u ? 0u : bits.x;
    bits = ((high << 1) | low) == 0u ? uvec2(0u) : bits;
  }
  const uint last = kKeyWords == 1u ? bits.x : bits.y;
  uint flip_last = kKeyOrder == kKeyUnsigned ? 0u : kKeySign;
  uint flip = 0u;
  if (kKeyOrder >= kKeyFloat) {
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

#define MergeKey uvec2

bool merge_key_less(MergeKey a, MergeKey b) { return kKeyWords == 1u ? a.x < b.x : word64_less(a, b); }

#endif

uvec2 merge_key_address(uvec2 keys, uint index) { return word64_add(keys, word64_multiply(index, kKeyBytes)); }

#endif
