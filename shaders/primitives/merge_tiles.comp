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

#include "primitives/merge_pieces.glsl"
#include "primitives/merge_store.glsl"

void main() {
  const uint total_a = count_a();
  const uint total = total_a + count_b();
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const uint begin = tile_begin(tile, total);
  const uint keys = tile_begin(tile + 1u, total) - begin;
  Words splits = Words(push.splits);
  // Of sequences that are not sorted, cuts may fall.
  const uint tile_a = subgroup_uniform(splits.at[tile]);
  const uint tile_count_a = clamp(subgroup_uniform(splits.at[tile + 1u]), tile_a, tile_a + keys) - tile_a;
  const uint tile_b = begin - tile_a;

  const MergePieces pieces = MergePieces(merge_key_address(push.keys_a, tile_a), merge_key_address(push.keys_b, tile_b));
  const MergePart part = merge_part(pieces, keys, tile_count_a);
  MergeElement elements[kMergeKeys];
  merge_part_elements(pieces, part, elements);

  const uint count = part.count;
  const uint piece_a = tile_a + part.a;
  const uint piece_b = tile_b + part.b;
  const uint first = begin + part.first;
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
      const uint index = place < part.count_a ? piece_a + place : total_a + piece_b + (place - part.count_a);
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
      const bool of_a = place < part.count_a;
      move_value(of_a ? values_a : values_b, of_a ? place : place - part.count_a, target, i, count);
    }
  }
}
