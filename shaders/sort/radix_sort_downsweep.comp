// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last dispatch of a pass of RadixSort: a workgroup goes through the tiles of its share, and moves each key after those
// with a smaller digit, or with the same digit and an earlier position.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/radix_sort_share.glsl"
#include "sort/radix_sort_move.glsl"

// Of a digit: its keys before this workgroup's, and all.
uvec2 sort_counts(uint digit) {
  if (kBins < kWorkgroupSize && digit >= kBins) return uvec2(0u);
  if (push.totals != uvec2(0u))
    return uvec2(sort_table_entry(digit, gl_WorkGroupID.x).at[0], Words(push.totals).at[digit]);
  uvec2 counts = uvec2(0u);
  for (uint group = 0u; group < push.groups; ++group) {
    const uint counted = Words(push.table).at[group * kBins + digit];
    counts += uvec2(group < gl_WorkGroupID.x ? counted : 0u, counted);
  }
  return counts;
}

void main() {
  const uint count = sort_count();
  const uvec2 share = sort_share(count);
  if (share.x == share.y) return;
  const uint lane = sort_lane();

  SortDigit own_0 = SortDigit(0u), own_1 = SortDigit(0u);
  uint all;
  const uvec2 counts = sort_counts(lane);
  own_0.next = workgroup_exclusive(counts.y, 0u, all) + counts.x;
  if (kLaneDigits == 2u) {
    const uvec2 others = sort_counts(lane + kWorkgroupSize);
    uint rest;
    own_1.next = all + workgroup_exclusive(others.y, 1u, rest) + others.x;
  }
  sort_move(share, count, own_0, own_1);
}
