// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First dispatch of a pass of RadixSort: a workgroup counts the digits of its share of the keys.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/radix_sort_share.glsl"
#include "sort/radix_sort_count.glsl"

void main() {
  sort_count_digits(sort_share(sort_count()));
  for (uint digit = sort_lane(); digit < kBins; digit += kWorkgroupSize)
    sort_table_entry(digit, gl_WorkGroupID.x).at[0] = sort_counted(digit);
}
