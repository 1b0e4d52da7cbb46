// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A workgroup's sort of the elements of merge_element.glsl, which says what the includer defines.
#ifndef WEFT_PRIMITIVES_MERGE_ELEMENT_SORT_GLSL
#define WEFT_PRIMITIVES_MERGE_ELEMENT_SORT_GLSL

#include "merge/merge_element.glsl"
#include "weft/workgroup_sort.glsl"

#if WEFT_MERGE_OWN
const uint kElementWords = WEFT_ITEM_WORDS + 1;
#else
const uint kPositionWords = kIsPacked ? 0u : kHasPositions ? 1u : 0u;
const uint kElementWords = kKeyWords + kPositionWords;
#endif

// First words of all elements, then second ones.
shared uint weft_sort_words[kWorkgroupSortRoom * kElementWords];

void workgroup_sort_put(uint i, MergeElement element) {
  const uint slot = workgroup_sort_slot(i);
#if WEFT_MERGE_OWN
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w)
    weft_sort_words[w * kWorkgroupSortRoom + slot] = element.key.words[w];
  weft_sort_words[WEFT_ITEM_WORDS * kWorkgroupSortRoom + slot] = element.position;
#else
  weft_sort_words[slot] = element.key.x;
  if (kKeyWords == 2u) weft_sort_words[kWorkgroupSortRoom + slot] = element.key.y;
  if (kPositionWords != 0u) weft_sort_words[kKeyWords * kWorkgroupSortRoom + slot] = element.position;
#endif
}

MergeElement workgroup_sort_at(uint i) {
  const uint slot = workgroup_sort_slot(i);
  MergeElement element;
#if WEFT_MERGE_OWN
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w)
    element.key.words[w] = weft_sort_words[w * kWorkgroupSortRoom + slot];
  element.position = weft_sort_words[WEFT_ITEM_WORDS * kWorkgroupSortRoom + slot];
#else
  element.key = uvec2(weft_sort_words[slot], 0u);
  if (kKeyWords == 2u) element.key.y = weft_sort_words[kWorkgroupSortRoom + slot];
  element.position = 0u;
  if (kPositionWords != 0u) element.position = weft_sort_words[kKeyWords * kWorkgroupSortRoom + slot];
#endif
  return element;
}

WEFT_SUBGROUP_SORT(MergeElement)
WEFT_WORKGROUP_SORT(MergeElement)

#endif
