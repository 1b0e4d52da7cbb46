// SPDX-License-Identifier: MIT OR Apache-2.0
//
// An element of Merge's network: a key, and, if kHasPositions, its position in the subgroup's pieces, those of A before
// those of B. The includer defines, as constants, kMergeKeys and kHasPositions, which is true if keys are a snippet's;
// merge_key.glsl is included before.
#ifndef WEFT_PRIMITIVES_MERGE_ELEMENT_GLSL
#define WEFT_PRIMITIVES_MERGE_ELEMENT_GLSL

#include "weft/subgroup_merge.glsl"

struct MergeElement {
  MergeKey key;
  uint position;
};

#if WEFT_MERGE_OWN

// Padding between the pieces is marked in its position.
const uint kNoPosition = 0x80000000u;

MergeElement merge_padding(uint position) {
  MergeElement element;
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) element.key.words[w] = 0u;
  element.position = kNoPosition | position;
  return element;
}
MergeElement merge_element(MergeKey key, uint position) { return MergeElement(key, position); }
uint merge_position(MergeElement element) { return element.position; }
MergeKey merge_key(MergeElement element) { return element.key; }

MergeElement subgroup_shuffle_xor(MergeElement element, uint mask) {
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w)
    element.key.words[w] = subgroup_shuffle_xor(element.key.words[w], mask);
  element.position = subgroup_shuffle_xor(element.position, mask);
  return element;
}

bool merge_less(MergeElement a, MergeElement b) {
  if (((a.position | b.position) & kNoPosition) != 0u) return a.position < b.position;
  // Before a key of B there is one of A unless B's is less; two of one piece keep their order.
  const bool earlier = a.position < b.position;
  const bool later_is_less = earlier ? merge_key_less(b.key, a.key) : merge_key_less(a.key, b.key);
  return earlier != later_is_less;
}

MergeElement merge_chosen(bool first, MergeElement a, MergeElement b) {
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) a.key.words[w] = first ? a.key.words[w] : b.key.words[w];
  a.position = first ? a.position : b.position;
  return a;
}

const bool kIsWord = false;

#else

// A key of less than a word has its position in the same word. A key of a word has its lowest bits beside its position:
// both words then have less than 24 bits, lie as floats that are 2^23 more, and are compared as such. Positions are
// below 2^13.
const bool kIsPacked = kKeyBytes < 4u ? kHasPositions : false;
const bool kIsSplit = kKeyBytes == 4u ? kHasPositions : false;
const bool kIsWord = kKeyWords == 2u ? false : kIsPacked ? true : !kHasPositions;
const uint kSplitBits = 10u, kPositionBits = 13u, kSplitFloat = 0x4b000000u;

MergeElement merge_element(MergeKey key, uint position) {
  if (kIsPacked) key.x = (key.x << 16) | position;
  if (kIsSplit) {
    position |= kSplitFloat | (key.x & ((1u << kSplitBits) - 1u)) << kPositionBits;
    key.x = kSplitFloat | key.x >> kSplitBits;
  }
  return MergeElement(key, position);
}
// Between the pieces; positions are after all others.
MergeElement merge_padding(uint position) { return merge_element(uvec2(kKeyMask, ~0u), position); }
uint merge_position(MergeElement element) {
  if (kIsPacked) return element.key.x & 0xffffu;
  return kIsSplit ? element.position & ((1u << kPositionBits) - 1u) : element.position;
}
MergeKey merge_key(MergeElement element) {
  if (kIsPacked) return uvec2(element.key.x >> 16, 0u);
  if (!kIsSplit) return element.key;
  const uint low = (element.position ^ kSplitFloat) >> kPositionBits;
  return uvec2((element.key.x ^ kSplitFloat) << kSplitBits | low, 0u);
}

MergeElement subgroup_shuffle_xor(MergeElement element, uint mask) {
  element.key.x = subgroup_shuffle_xor(element.key.x, mask);
  if (kKeyWords == 2u) element.key.y = subgroup_shuffle_xor(element.key.y, mask);
  if (kHasPositions) {
    if (!kIsPacked) element.position = subgroup_shuffle_xor(element.position, mask);
  }
  return element;
}

bool merge_less(MergeElement a, MergeElement b) {
  if (kIsSplit) {
    // Of whole numbers below 2^23; a rounded sum has the sign of the sum.
    const float high = uintBitsToFloat(a.key.x) - uintBitsToFloat(b.key.x);
    const float low = uintBitsToFloat(a.position) - uintBitsToFloat(b.position);
    return high * float(1u << (kSplitBits + kPositionBits)) + low < 0.0;
  }
  if (kHasPositions) {
    // As one number, the position below the key.
    const bool low_less = word64_less(uvec2(a.position, a.key.x), uvec2(b.position, b.key.x));
    return a.key.y < b.key.y || (a.key.y == b.key.y && low_less);
  }
  return word64_less(a.key, b.key);
}

MergeElement merge_chosen(bool first, MergeElement a, MergeElement b) {
  MergeElement element = b;
  element.key.x = first ? a.key.x : b.key.x;
  if (kKeyWords == 2u) element.key.y = first ? a.key.y : b.key.y;
  if (kHasPositions) element.position = first ? a.position : b.position;
  return element;
}

#endif

void merge_order(inout MergeElement earlier, inout MergeElement later) {
#if !WEFT_MERGE_OWN
  if (kIsWord) {
    merge_order(earlier.key.x, later.key.x);
    return;
  }
#endif
  const bool in_order = merge_less(earlier, later);
  const MergeElement first = merge_chosen(in_order, earlier, later);
  later = merge_chosen(in_order, later, earlier);
  earlier = first;
}

MergeElement merge_keep(MergeElement own, MergeElement other, bool later) {
#if !WEFT_MERGE_OWN
  if (kIsWord) {
    own.key.x = merge_keep(own.key.x, other.key.x, later);
    return own;
  }
#endif
  return merge_chosen(merge_less(own, other) != later, own, other);
}

WEFT_SUBGROUP_MERGE(MergeElement)

// What lies between the pieces ends up after both even where they are not sorted: it rises and falls once by itself. An
// address is made of this, so that it is bounded all the same.
uint bounded_position(MergeElement element, uint count) { return min(merge_position(element), count - min(count, 1u)); }

#endif
