// SPDX-License-Identifier: MIT OR Apache-2.0
//
// subgroup_sort.glsl and workgroup_sort.glsl by themselves, for tests/blocks/merge_path_test.cpp: one workgroup sorts
// words. Results: what each subgroup has sorted of its own, subgroup after subgroup; then what the workgroup has,
// twice, the second time from what it had then.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "self_test.h"

layout(constant_id = 4) const uint kMergeKeys = 4;
#include "weft/workgroup_sort.glsl"

layout(push_constant, std430) uniform Push { SelfTestPush push; };

WEFT_SUBGROUP_MERGE(uint)
WEFT_SUBGROUP_SORT(uint)
WEFT_WORKGROUP_SORT_SHARED(uint)
WEFT_WORKGROUP_SORT(uint)

void main() {
  Words inputs = Words(push.inputs);
  Words results = Words(push.results);
  const uint first = subgroup_index() * kSubgroupMergeKeys;
  uint keys[kMergeKeys];
  uint own[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    keys[r] = inputs.at[first + r * kSubgroupSize + subgroup_lane()];
    own[r] = keys[r];
  }
  subgroup_sort(own);
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) results.at[first + subgroup_lane() * kMergeKeys + r] = own[r];
  [[dont_unroll]] for (uint turn = 1u; turn <= 2u; ++turn) {
    workgroup_sort(keys);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      results.at[turn * kWorkgroupSortKeys + first + r * kSubgroupSize + subgroup_lane()] = keys[r];
  }
}
