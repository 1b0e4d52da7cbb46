// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second dispatch of a pass of MergeSort, or the only one where keys are few: runs become one, two and two, as Merge's
// second pass merges its sequences.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/merge_sort_merge.h"
#include "sort/merge_sort_ranges.glsl"
#include "merge/merge_pieces.glsl"
#include "merge/merge_store.glsl"
#include "sort/merge_sort_store.glsl"

void main() {
  const uint total = merge_sort_count();
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const MergeSortPair pair = merge_sort_pair(tile, total);
  const uint begin = tile * kTileItems - pair.begin;
  const uint keys = min(pair.count_a + pair.count_b - begin, kTileItems);
  uint run_a = pair.begin;
  uint run_b = pair.begin + pair.count_a;
  MergePart part;
  if (kFindsCuts) {
    const MergeInputs runs = MergeInputs(merge_key_address(push.keys, run_a), merge_key_address(push.keys, run_b));
    part = merge_part(runs, begin, keys, pair.count_a, pair.count_b, push.run);
  } else {
    Words splits = Words(push.splits);
    // Where less() is no order, cuts may fall.
    const uint tile_a = subgroup_uniform(splits.at[tile]);
    uint end_a = pair.count_a;
    if (begin + keys < pair.count_a + pair.count_b) end_a = subgroup_uniform(splits.at[tile + 1u]);
    run_a += tile_a;
    run_b += begin - tile_a;
    const MergePieces pieces = MergePieces(merge_key_address(push.keys, run_a), merge_key_address(push.keys, run_b));
    part = merge_part(pieces, keys, clamp(end_a, tile_a, tile_a + keys) - tile_a);
  }
  MergeElement elements[kMergeKeys];
  merge_part_elements(part, elements);

  // Outputs of a part that does not fit are found one by one. Addresses and counts are those from this lane's on.
  const uint lane = subgroup_lane();
  const uint count = part.fits ? part.count - min(part.count, lane) : 0u;
  const uint first = pair.begin + begin + part.first;
  if (push.keys_out != uvec2(0u)) {
    const uvec2 keys_out = merge_key_address(push.keys_out, first + lane);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      store_key(keys_out, r * kSubgroupSize, count, merge_part_key(part, elements[r]));
  }
  const uint carried_bytes = kCarriesWords ? 4u : kValueBytes;
  const uvec2 carried_a = word64_add(push.carried, word64_multiply(run_a + part.a, carried_bytes));
  const uvec2 carried_b = word64_add(push.carried, word64_multiply(run_b + part.b, carried_bytes));
  if (kCarriesWords || kValueBytes != 0u) {
    const uvec2 behind_a = word64_subtract(carried_b, word64_multiply(part.count_a, carried_bytes));
    const MergeSortTarget target = merge_sort_target(first + lane);
    uint earlier_b = 0u;
    [[unroll]] for (uint batch = 0; batch < kMergeKeys; batch += kValueBatch) {
      // Positions first: no ballot comes between loads.
      uint words[kValueBatch];
      [[unroll]] for (uint k = 0; k < kValueBatch; ++k)
        words[k] = merge_part_position(part, elements[batch + k], (batch + k) * kSubgroupSize + lane, earlier_b);
      [[unroll]] for (uint k = 0; k < kValueBatch; ++k) {
        const uint row = (batch + k) * kSubgroupSize;
        const uvec2 source = words[k] < part.count_a ? carried_a : behind_a;
        if (!kCarriesWords) move_value(source, words[k], target.carried, row, count);
        if (kCarriesWords && row < count) words[k] = Words(source).at[words[k]];
      }
      if (kCarriesWords) {
        [[unroll]] for (uint k = 0; k < kValueBatch; ++k)
          store_word(words[k], target, (batch + k) * kSubgroupSize, count);
      }
    }
  }
  if (part.fits) return;
  for (uint i = lane; i < part.count; i += kSubgroupSize) {
    const uint position = merge_part_find(part, i);
    const bool is_a = position < part.count_a;
    const uint index = is_a ? position : position - part.count_a;
    if (push.keys_out != uvec2(0u))
      store_key(merge_key_address(push.keys_out, first), i, part.count, merge_part_key_at(part, position));
    const MergeSortTarget target = merge_sort_target(first + i);
    if (kCarriesWords)
      store_word_alone(Words(is_a ? carried_a : carried_b).at[index], target);
    else if (kValueBytes != 0u)
      move_value_alone(value_address(is_a ? carried_a : carried_b, index), target.carried);
  }
}
