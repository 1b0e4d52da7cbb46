// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second dispatch of a pass of MergeSort: runs become one, two and two, as Merge's second pass merges its sequences.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/merge_sort_ranges.glsl"

layout(constant_id = 7) const bool kHasPlaces = false;  // values or indices are written, or keys are a snippet's
layout(constant_id = 8) const bool kCarriesIndices = false;
layout(constant_id = 9) const uint kValueBytes = 0;  // 1, 2, a multiple of 4, or 0: there are none

#include "primitives/merge_pieces.glsl"
#include "primitives/merge_store.glsl"
#include "primitives/merge_sort_store.glsl"

void main() {
  const uint total = merge_sort_count();
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const MergeSortPair pair = merge_sort_pair(tile, total);
  const uint begin = tile * kTileItems - pair.begin;
  const uint keys = min(pair.count_a + pair.count_b - begin, kTileItems);
  Words splits = Words(push.splits);
  // Where less() is no order, cuts may fall.
  const uint tile_a = subgroup_uniform(splits.at[tile]);
  uint end_a = pair.count_a;
  if (begin + keys < pair.count_a + pair.count_b) end_a = subgroup_uniform(splits.at[tile + 1u]);
  const uint tile_count_a = clamp(end_a, tile_a, tile_a + keys) - tile_a;
  const uint run_a = pair.begin + tile_a;
  const uint run_b = pair.begin + pair.count_a + begin - tile_a;

  const MergePieces pieces = MergePieces(merge_key_address(push.keys, run_a), merge_key_address(push.keys, run_b));
  const MergePart part = merge_part(pieces, keys, tile_count_a);
  MergeElement elements[kMergeKeys];
  merge_part_elements(pieces, part, elements);

  const uint count = part.count;
  const uint first = pair.begin + begin + part.first;
  if (push.keys_out != uvec2(0u)) {
    const uvec2 target = merge_key_address(push.keys_out, first);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      store_key(target, r * kSubgroupSize + subgroup_lane(), count, merge_key(elements[r]));
  }
  if (kCarriesWords) {
    const uvec2 words_a = word64_add(push.carried, word64_multiply(run_a + part.a, 4u));
    const uvec2 words_b = word64_add(push.carried, word64_multiply(run_b + part.b, 4u));
    uint words[kMergeKeys];
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint place = bounded_place(elements[r], count);
      const bool of_a = place < part.count_a;
      words[r] = 0u;
      if (r * kSubgroupSize + subgroup_lane() < count)
        words[r] = Words(of_a ? words_a : words_b).at[of_a ? place : place - part.count_a];
    }
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      store_word(words[r], first, r * kSubgroupSize + subgroup_lane(), count);
  } else if (kValueBytes != 0u) {
    const uvec2 values_a = value_address(push.carried, run_a + part.a);
    const uvec2 values_b = value_address(push.carried, run_b + part.b);
    const uvec2 target = value_address(push.carried_out, first);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint place = bounded_place(elements[r], count);
      const bool of_a = place < part.count_a;
      move_value(of_a ? values_a : values_b, of_a ? place : place - part.count_a, target,
                 r * kSubgroupSize + subgroup_lane(), count);
    }
  }
}
