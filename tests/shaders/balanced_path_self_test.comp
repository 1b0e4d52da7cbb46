// SPDX-License-Identifier: MIT OR Apache-2.0
//
// balanced_path.glsl by itself, for tests/blocks/balanced_path_test.cpp: one workgroup cuts two ranges of keys that lie
// one after the other. Results: for each diagonal how many keys of A, and of B, are before its cut.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"
#include "self_test.h"
#include "weft/balanced_path.glsl"

layout(push_constant, std430) uniform Push { SelfTestPush push; };

void main() {
  const uint count_a = push.delta;
  const uint count_b = push.lane;
  const uvec2 keys_b = word64_add(push.inputs, word64_multiply(count_a, 4u * kKeyWords));
  const MergeRanges ranges = MergeRanges(push.inputs, keys_b, true);
  Words results = Words(push.results);
  for (uint first = 0u; first <= count_a + count_b; first += kWorkgroupSize) {
    const uint diagonal = first + gl_LocalInvocationIndex;
    if (diagonal > count_a + count_b) break;
    const BalancedCut cut = balanced_path_split(ranges, diagonal, count_a, count_b);
    results.at[2u * diagonal] = cut.a;
    results.at[2u * diagonal + 1u] = cut.b;
  }
}
