// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First dispatch of MergeSort: each workgroup sorts a tile. Where positions matter, each key brings along its own in
// the tile, which makes the order among equal keys and says where the value lies.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/merge_sort_blocks.h"
#include "sort/merge_sort_ranges.glsl"
#include "merge/merge_element_sort.glsl"
#include "merge/merge_store.glsl"
#include "sort/merge_sort_store.glsl"

void main() {
  const uint total = merge_sort_count();
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const uint begin = tile * kTileItems;
  const uint keys = min(total - begin, kTileItems);

  const uint diagonal = subgroup_index() * kSubgroupMergeKeys;
  const uvec2 source = merge_key_address(push.keys, begin);
  MergeElement elements[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint position = diagonal + r * kSubgroupSize + subgroup_lane();
    elements[r] = merge_padding(position);
    if (position < keys) elements[r] = merge_element(merge_key_at(source, position), position);
  }
  workgroup_sort(elements);

  // Addresses and counts are those from this lane's output on.
  const uint lane = subgroup_lane();
  const uint first = begin + min(diagonal, keys) + lane;
  const uint count = min(keys - min(diagonal + lane, keys), kSubgroupMergeKeys - lane);
  if (push.keys_out != uvec2(0u)) {
    const uvec2 target = merge_key_address(push.keys_out, first);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      store_key(target, r * kSubgroupSize, count, merge_key(elements[r]));
  }
  const MergeSortTarget target = merge_sort_target(first);
  if (kCarriesWords) {
    Words values = Words(value_address(push.carried, begin));
    uint words[kMergeKeys];
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint position = bounded_position(elements[r], keys);
      words[r] = begin + position;
      if (!kCarriesIndices) words[r] = values.at[position];
    }
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      store_word(words[r], target, r * kSubgroupSize, count);
  } else if (kValueBytes != 0u) {
    const uvec2 values = value_address(push.carried, begin);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      move_value(values, bounded_position(elements[r], keys), target.carried, r * kSubgroupSize, count);
  }
}
