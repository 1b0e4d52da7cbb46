// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second dispatch of a pass of RadixSort: a workgroup for each digit turns the digit's row of the table into its
// exclusive sums, and leaves the total.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/radix_sort_share.glsl"

void main() {
  const uint digit = gl_WorkGroupID.x;
  // Rows begin on a boundary of 16 bytes.
  Words4 row = Words4(word64_add(push.table, word64_multiply(digit * push.table_row, 4u)));
  const uint vectors = push.table_row / 4u;
  uint carry = 0u;
  for (uint first = 0u; first < vectors; first += kWorkgroupSize) {
    const uint v = first + sort_lane();
    uvec4 counts = uvec4(0u);
    if (v < vectors) counts = row.at[v];
    // After the last workgroup there are no counts.
    [[unroll]] for (uint k = 0; k < 4; ++k) counts[k] = 4u * v + k < push.groups ? counts[k] : 0u;
    const uvec4 sums = uvec4(0u, counts.x, counts.x + counts.y, counts.x + counts.y + counts.z);
    uint total;
    const uint before = workgroup_exclusive(sums.w + counts.w, (first / kWorkgroupSize) & 1u, total);
    if (v < vectors) row.at[v] = sums + uvec4(carry + before);
    carry += total;
  }
  if (sort_lane() == 0u) Words(push.totals).at[digit] = carry;
}
