// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First dispatch of a pass of SegmentedSort over its long segments: counts the digits of each run.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "segment/segmented_sort_runs.glsl"
#include "sort/radix_sort_count.glsl"

void main() {
  const uint runs = sort_runs();
  const uint end = sort_end();
  for (uint entry = gl_WorkGroupID.x; entry < runs; entry += gl_NumWorkGroups.x) {
    sort_count_digits(sort_run(entry, end).share);
    Words counts = sort_counts_of(entry);
    for (uint digit = sort_lane(); digit < kBins; digit += kWorkgroupSize) counts.at[digit] = sort_counted(digit);
    barrier();
  }
}
