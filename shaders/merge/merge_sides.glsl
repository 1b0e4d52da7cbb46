// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Elements of Merge's network for built-in keys: a key alone, or, where it matters from where each output comes, a
// number with the key's side in its lowest bit, 0 for A, and above it the key less the smallest of its part. Equal keys
// of A are then before those of B, and equal elements are the same. The sides of what is before an output say from
// where it comes, since neither side's keys change positions among themselves. A part whose keys are further apart than
// there is room for, one bit less than a key has, is not merged so.
//
// The includer defines, as a constant, kHasSides; merge_key.glsl is included before.
#ifndef WEFT_PRIMITIVES_MERGE_SIDES_GLSL
#define WEFT_PRIMITIVES_MERGE_SIDES_GLSL

#include "weft/subgroup_merge.glsl"

// An element, of one word or two; after all others is what has all bits set.
#define MergeElement uvec2

uvec2 merge_difference(uvec2 a, uvec2 b) {
  return uvec2(a.x - b.x, kKeyWords == 1u ? 0u : a.y - b.y - (a.x < b.x ? 1u : 0u));
}

// Whether keys from `lowest` to `highest` are close enough.
bool merge_sides_fit(uvec2 lowest, uvec2 highest) {
  if (kKeyBytes < 4u) return true;
  const uvec2 apart = merge_difference(highest, lowest);
  return (kKeyWords == 1u ? apart.x : apart.y) < 0x7fffffffu;
}

// What to add to twice a key to get its element.
uvec2 merge_side(uvec2 lowest, uint side) {
  const uvec2 twice = uvec2(lowest.x << 1, kKeyWords == 1u ? 0u : (lowest.y << 1) | (lowest.x >> 31));
  return merge_difference(uvec2(side, 0u), twice);
}

uvec2 merge_element(uvec2 key, uvec2 side) {
  if (kKeyWords == 1u) return uvec2((key.x << 1) + side.x, 0u);
  return word64_add(uvec2(key.x << 1, (key.y << 1) | (key.x >> 31)), side);
}

uvec2 merge_element_key(uvec2 element, uvec2 lowest) {
  if (!kHasSides) return element;
  if (kKeyWords == 1u) return uvec2((element.x >> 1) + lowest.x, 0u);
  return word64_add(uvec2((element.x >> 1) | (element.y << 31), element.y >> 1), lowest);
}

void merge_order(inout uvec2 earlier, inout uvec2 later) {
  if (kKeyWords == 1u) {
    merge_order(earlier.x, later.x);
    return;
  }
  const bool in_order = word64_less(earlier, later);
  const uvec2 first = in_order ? earlier : later;
  later = in_order ? later : earlier;
  earlier = first;
}

uvec2 merge_keep(uvec2 own, uvec2 other, bool later) {
  if (kKeyWords == 1u) return uvec2(merge_keep(own.x, other.x, later), 0u);
  return word64_less(own, other) != later ? own : other;
}

uvec2 subgroup_shuffle_xor(uvec2 element, uint mask) {
  return uvec2(subgroup_shuffle_xor(element.x, mask), kKeyWords == 1u ? 0u : subgroup_shuffle_xor(element.y, mask));
}

WEFT_SUBGROUP_MERGE(MergeElement)

#endif
