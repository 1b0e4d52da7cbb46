// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of Merge: a workgroup has a tile, of which each subgroup finds its part and merges it in registers. Where places
// matter, each key brings its own along, counted through both pieces of the subgroup: it makes the order among equal keys, and says
// where the value lies.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/merge_ranges.glsl"

layout(constant_id = 7) const bool kHasPlaces = false;  // values or indices are written, or keys are a snippet's
layout(constant_id = 8) const bool kWritesKeys = true;
layout(constant_id = 9) const bool kWritesIndices = false;
layout(constant_id = 10) const uint kValueBytes = 0;  // 1, 2, a multiple of 4, or 0: none are written

#include "primitives/merge_element.glsl"
#include "primitives/merge_store.glsl"

// Pieces of both ranges, found and loaded as such.
struct MergePieces {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(MergePieces pieces, uint a, uint b) {
  return !merge_key_less(merge_key_at(pieces.keys_b, b), merge_key_at(pieces.keys_a, a));
}

WEFT_SUBGROUP_MERGE_PATH(MergePieces, kTileItems)

// How many keys of A are in front of each subgroup's.
shared uint weft_merge_cuts[kSubgroupCount];

void main() {
  const uint total_a = count_a();
  const uint total = total_a + count_b();
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const uint begin = tile_begin(tile, total);
  const uint keys = tile_begin(tile + 1u, total) - begin;
  Words splits = Words(push.splits);
  // Of ranges that are not sorted, cuts may fall, here and below.
  const uint tile_a = subgroup_uniform(splits.at[tile]);
  const uint tile_count_a = clamp(subgroup_uniform(splits.at[tile + 1u]), tile_a, tile_a + keys) - tile_a;
  const uint tile_b = begin - tile_a;

  const uint diagonal = min(subgroup_index() * kSubgroupMergeKeys, keys);
  const uint count = min(keys - diagonal, kSubgroupMergeKeys);
  const uint cut = subgroup_merge_path_split(
      MergePieces(merge_key_address(push.keys_a, tile_a), merge_key_address(push.keys_b, tile_b)), diagonal, tile_count_a,
      keys - tile_count_a);
  if (subgroup_lane() == 0u) weft_merge_cuts[subgroup_index()] = cut;
  barrier();
  const bool is_last = subgroup_index() + 1u == kSubgroupCount;
  const uint next = is_last ? tile_count_a : subgroup_uniform(weft_merge_cuts[min(subgroup_index() + 1u, kSubgroupCount - 1u)]);
  const uint piece_count_a = clamp(next, cut, cut + count) - cut;
  const uint piece_count_b = count - piece_count_a;
  const uint piece_a = tile_a + cut;
  const uint piece_b = tile_b + diagonal - cut;
  const uvec2 keys_a = merge_key_address(push.keys_a, piece_a);
  const uvec2 keys_b = merge_key_address(push.keys_b, piece_b);

  MergeElement elements[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint i = r * kSubgroupSize + subgroup_lane();
    const uint j = kSubgroupMergeKeys - 1u - i;
    elements[r] = merge_padding(i + piece_count_b);
    if (i < piece_count_a) elements[r] = merge_element(merge_key_at(keys_a, i), i);
    if (j < piece_count_b) elements[r] = merge_element(merge_key_at(keys_b, j), piece_count_a + j);
  }
  subgroup_merge(elements);

  const uint first = begin + diagonal;
  if (kWritesKeys) {
    const uvec2 target = merge_key_address(push.keys_out, first);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      store_key(target, r * kSubgroupSize + subgroup_lane(), count, merge_key(elements[r]));
  }
  if (kWritesIndices) {
    Words target = Words(word64_add(push.indices_out, word64_multiply(first, 4u)));
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint i = r * kSubgroupSize + subgroup_lane();
      const uint place = bounded_place(elements[r], count);
      const uint index = place < piece_count_a ? piece_a + place : total_a + piece_b + (place - piece_count_a);
      if (i < count) target.at[i] = index;
    }
  }
  if (kValueBytes != 0u) {
    const uvec2 values_a = value_address(push.values_a, piece_a);
    const uvec2 values_b = value_address(push.values_b, piece_b);
    const uvec2 target = value_address(push.values_out, first);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint i = r * kSubgroupSize + subgroup_lane();
      const uint place = bounded_place(elements[r], count);
      const bool of_a = place < piece_count_a;
      move_value(of_a ? values_a : values_b, of_a ? place : place - piece_count_a, target, i, count);
    }
  }
}
