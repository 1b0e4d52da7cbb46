// SPDX-License-Identifier: MIT OR Apache-2.0
//
// subgroup_merge.glsl and lanes_merge_path.glsl by themselves, for tests/blocks/merge_path_test.cpp: one workgroup cuts
// and merges two ranges of u32 that lie one after the other. Results: for each diagonal how many keys of A are in front
// of it, as a subgroup finds it, then as one lane does, then as four lanes do, then as a subgroup finds it beside the
// one as far from the end, and that one; then the merge.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "self_test.h"

layout(constant_id = 4) const uint kMergeKeys = 4;
#include "weft/lanes_merge_path.glsl"
#include "weft/subgroup_merge.glsl"

layout(push_constant, std430) uniform Push { SelfTestPush push; };

WEFT_SUBGROUP_MERGE_PATH(MergeRanges, kWorkgroupSize * kMergeKeys)
WEFT_SUBGROUP_MERGE_PATHS(MergeRanges)
WEFT_SUBGROUP_MERGE(uint)
WEFT_LANES_MERGE_PATH(MergeRanges)

void main() {
  const uint count_a = push.delta;
  const uint count_b = push.lane;
  const uint total = count_a + count_b;
  const MergeRanges ranges = MergeRanges(push.inputs, word64_add(push.inputs, 4u * count_a), true);
  Words results = Words(push.results);
  for (uint first = 0u; first <= total; first += kSubgroupCount) {
    const uint diagonal = min(first + subgroup_index(), total);
    const uint split = subgroup_merge_path_split(ranges, diagonal, count_a, count_b);
    const uvec2 splits = subgroup_merge_path_splits(ranges, uvec2(diagonal, total - diagonal), count_a, count_b,
                                                    min(count_a, count_b));
    // Each lane in turn stores what it has.
    if (subgroup_lane() == diagonal % kSubgroupSize) {
      results.at[3u * (total + 1u) + diagonal] = splits.x;
      results.at[4u * (total + 1u) + total - diagonal] = splits.y;
    }
    if (subgroup_lane() == 0u) {
      results.at[diagonal] = split;
      results.at[total + 1u + diagonal] = merge_path_split(ranges, diagonal, count_a, count_b);
    }
  }
  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
  for (uint first = 0u; first <= total; first += kWorkgroupSize / kMergePathLanes) {
    const uint diagonal = min(first + position / kMergePathLanes, total);
    const uint split = lanes_merge_path_split(ranges, diagonal, count_a, count_b, min(count_a, count_b));
    // Each of the four in turn stores what it has.
    if (position % kMergePathLanes == diagonal % kMergePathLanes) results.at[2u * (total + 1u) + diagonal] = split;
  }

  const uint begin = min(subgroup_index() * kSubgroupMergeKeys, total);
  const uint end = min(begin + kSubgroupMergeKeys, total);
  const uint first_a = subgroup_merge_path_split(ranges, begin, count_a, count_b);
  const uint piece_a = subgroup_merge_path_split(ranges, end, count_a, count_b) - first_a;
  const uint piece_b = end - begin - piece_a;
  Words keys_a = Words(word64_add(ranges.keys_a, 4u * first_a));
  Words keys_b = Words(word64_add(ranges.keys_b, 4u * (begin - first_a)));
  uint keys[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint i = r * kSubgroupSize + subgroup_lane();
    const uint j = kSubgroupMergeKeys - 1u - i;
    keys[r] = ~0u;
    if (i < piece_a) keys[r] = keys_a.at[i];
    if (j < piece_b) keys[r] = keys_b.at[j];
  }
  subgroup_merge(keys);
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint i = r * kSubgroupSize + subgroup_lane();
    if (begin + i < end) results.at[5u * (total + 1u) + begin + i] = keys[r];
  }
}
