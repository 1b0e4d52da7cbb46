// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Third dispatch of SegmentedSort: sorts the segments of middle length, a workgroup each. It sorts tiles, as
// MergeSort's first dispatch does, and then merges runs of them in pairs, as its others do: no workgroup waits for
// another, and a segment of one tile is read and written once.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"
#include "segment/segmented_sort.h"
#include "segment/segmented_sort_merge.h"
#include "merge/merge_key.glsl"

const uint kTileItems = kWorkgroupSize * kMergeKeys;
const bool kHasSides = kHasPositions;

#include "weft/tile_range.glsl"
#include "merge/merge_element_sort.glsl"
#include "merge/merge_pieces.glsl"
#include "merge/merge_store.glsl"

layout(push_constant, std430) uniform Push { SegmentedSortMergePush push; };

struct SortArrays {
  uvec2 keys, values;
};

// A segment's.
SortArrays arrays_from(uvec2 keys, uvec2 values, uint begin) {
  return SortArrays(merge_key_address(keys, begin), value_address(values, begin));
}

// Sorts the keys [begin, begin + keys), at most a tile.
void sort_tile(SortArrays from, SortArrays to, uint begin, uint keys) {
  const uint diagonal = subgroup_index() * kSubgroupMergeKeys;
  const uvec2 source = merge_key_address(from.keys, begin);
  MergeElement elements[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint position = diagonal + r * kSubgroupSize + subgroup_lane();
    elements[r] = merge_padding(position);
    if (position < keys) elements[r] = merge_element(merge_key_at(source, position), position);
  }
  workgroup_sort(elements);

  const uint first = min(diagonal, keys);
  const uint count = min(keys - first, kSubgroupMergeKeys);
  const uvec2 keys_out = merge_key_address(to.keys, begin + first);
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
    store_key(keys_out, r * kSubgroupSize + subgroup_lane(), count, merge_key(elements[r]));
  if (kValueBytes == 0u) return;
  const uvec2 values = value_address(from.values, begin);
  const uvec2 values_out = value_address(to.values, begin + first);
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
    move_value(values, bounded_position(elements[r], keys), values_out, r * kSubgroupSize + subgroup_lane(), count);
}

// Of two sorted runs, keys [pair, pair + count_a) and count_b after them, the merge's keys [begin, begin + keys), at
// most a tile.
void merge_tile(SortArrays from, SortArrays to, uint pair, uint count_a, uint count_b, uint begin, uint keys) {
  const MergeInputs runs =
      MergeInputs(merge_key_address(from.keys, pair), merge_key_address(from.keys, pair + count_a));
  MergePart part = merge_part(runs, begin, keys, count_a, count_b, push.max_keys);
  MergeElement elements[kMergeKeys];
  merge_part_elements(part, elements);

  // Addresses and counts are those from this lane's output on.
  const uint lane = subgroup_lane();
  const uint first = pair + begin + part.first + lane;
  const uint count = part.count - min(part.count, lane);
  const uvec2 keys_out = merge_key_address(to.keys, first);
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
    store_key(keys_out, r * kSubgroupSize, count, merge_part_key(part, elements[r]));
  if (kValueBytes == 0u) return;
  const uvec2 values_a = value_address(from.values, pair + part.a);
  const uvec2 values_b = value_address(from.values, pair + count_a + part.b);
  const uvec2 behind_a = word64_subtract(values_b, word64_multiply(part.count_a, kValueBytes));
  const uvec2 values_out = value_address(to.values, first);
  uint unused = 0u;
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint i = r * kSubgroupSize;
    const uint position = merge_part_position(part, elements[r], i + lane, unused);
    move_value(position < part.count_a ? values_a : behind_a, position, values_out, i, count);
  }
}

void main() {
  const uint segments = subgroup_uniform(min(Words(push.totals).at[3], push.max_middle));
  const uint end_of_all = subgroup_uniform(Words(push.totals).at[2]);
  for (uint entry = gl_WorkGroupID.x; entry < segments; entry += gl_NumWorkGroups.x) {
    const uvec2 stored = Words2(push.middle).at[entry];
    const uint begin = subgroup_uniform(min(stored.x, end_of_all));
    const uint count = subgroup_uniform(min(clamp(stored.y, begin, end_of_all) - begin, push.max_keys));
    const uint tiles = tile_count(count);
    const uint rounds = tiles < 2u ? 0u : uint(findMSB(tiles - 1u)) + 1u;
    const SortArrays out_arrays = arrays_from(push.keys_out, push.values_out, begin);
    const SortArrays between = arrays_from(push.keys_between, push.values_between, begin);
    SortArrays to = arrays_from(push.keys, push.values, begin);
    // Round 0 sorts tiles.
    for (uint round = 0u; round <= rounds; ++round) {
      const SortArrays from = to;
      if (((rounds - round) & 1u) == 0u)
        to = out_arrays;
      else
        to = between;
      if (round != 0u) memoryBarrierBuffer();
      barrier();
      for (uint tile = 0u; tile < tiles; ++tile) {
        const uint first = tile * kTileItems;
        const uint keys = min(count - first, kTileItems);
        if (round == 0u) {
          sort_tile(from, to, first, keys);
        } else {
          const uint run = kTileItems << (round - 1u);
          const uint pair = first & ~(2u * run - 1u);
          const uint count_a = min(run, count - pair);
          merge_tile(from, to, pair, count_a, min(run, count - pair - count_a), first - pair, keys);
        }
      }
    }
  }
}
