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
  uint place;
};

#if WEFT_MERGE_OWN

// What lies between the pieces is told by its place alone.
const uint kNoPlace = 0x80000000u;

MergeElement merge_padding(uint place) {
  MergeElement element;
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) element.key.words[w] = 0u;
  element.place = kNoPlace | place;
  return element;
}
MergeElement merge_element(MergeKey key, uint place) { return MergeElement(key, place); }
uint merge_place(MergeElement element) { return element.place; }
MergeKey merge_key(MergeElement element) { return element.key; }

MergeElement subgroup_shuffle_xor(MergeElement element, uint mask) {
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w)
    element.key.words[w] = subgroup_shuffle_xor(element.key.words[w], mask);
  element.place = subgroup_shuffle_xor(element.place, mask);
  return element;
}

bool merge_less(MergeElement a, MergeElement b) {
  if (((a.place | b.place) & kNoPlace) != 0u) return a.place < b.place;
  // In front of a key of B there is one of A unless B's is less; two of one piece keep their order.
  const bool earlier = a.place < b.place;
  const bool behind_is_less = earlier ? merge_key_less(b.key, a.key) : merge_key_less(a.key, b.key);
  return earlier != behind_is_less;
}

MergeElement merge_chosen(bool first, MergeElement a, MergeElement b) {
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) a.key.words[w] = first ? a.key.words[w] : b.key.words[w];
  a.place = first ? a.place : b.place;
  return a;
}

const bool kIsWord = false;

#else

// A key of less than a word has its place in the same word; places are below 2^16.
const bool kIsPacked = kKeyBytes < 4u ? kHasPositions : false;
const bool kIsWord = kKeyWords == 2u ? false : kIsPacked ? true : !kHasPositions;

MergeElement merge_element(MergeKey key, uint place) {
  return MergeElement(kIsPacked ? uvec2((key.x << 16) | place, 0u) : key, place);
}
// Between the pieces; places are behind all others.
MergeElement merge_padding(uint place) { return merge_element(uvec2(kKeyMask, ~0u), place); }
uint merge_place(MergeElement element) { return kIsPacked ? element.key.x & 0xffffu : element.place; }
MergeKey merge_key(MergeElement element) { return kIsPacked ? uvec2(element.key.x >> 16, 0u) : element.key; }

MergeElement subgroup_shuffle_xor(MergeElement element, uint mask) {
  element.key.x = subgroup_shuffle_xor(element.key.x, mask);
  if (kKeyWords == 2u) element.key.y = subgroup_shuffle_xor(element.key.y, mask);
  if (kHasPositions) {
    if (!kIsPacked) element.place = subgroup_shuffle_xor(element.place, mask);
  }
  return element;
}

bool merge_less(MergeElement a, MergeElement b) {
  if (kHasPositions) {
    // As one number, the place below the key.
    if (kKeyWords == 1u) return word64_less(uvec2(a.place, a.key.x), uvec2(b.place, b.key.x));
    const bool low_less = word64_less(uvec2(a.place, a.key.x), uvec2(b.place, b.key.x));
    return a.key.y < b.key.y || (a.key.y == b.key.y && low_less);
  }
  return word64_less(a.key, b.key);
}

MergeElement merge_chosen(bool first, MergeElement a, MergeElement b) {
  MergeElement element = b;
  element.key.x = first ? a.key.x : b.key.x;
  if (kKeyWords == 2u) element.key.y = first ? a.key.y : b.key.y;
  if (kHasPositions) element.place = first ? a.place : b.place;
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

// What lies between the pieces ends up behind both even where they are not sorted: it rises and falls once by itself. An address is made
// of this, so that it is bounded all the same.
uint bounded_place(MergeElement element, uint count) { return min(merge_place(element), count - min(count, 1u)); }

#endif
