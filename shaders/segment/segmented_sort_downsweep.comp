// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last dispatch of a pass of SegmentedSort over its long segments: moves the keys of each run after those of its
// segment with a smaller digit, or with the same digit and an earlier position.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "segment/segmented_sort_runs.glsl"
#include "sort/radix_sort_move.glsl"

// Of a digit: its keys in the runs of the segment before this one, and in all.
uvec2 sort_counts(SortRun run, uint entry, uint digit) {
  if (kBins < kWorkgroupSize && digit >= kBins) return uvec2(0u);
  const uint own = sort_counts_of(entry).at[digit];
  if (run.runs == 1u) return uvec2(0u, own);
  return uvec2(own, sort_counts_of(run.first + run.runs).at[digit]);
}

void main() {
  const uint runs = sort_runs();
  const uint end = sort_end();
  const uint lane = sort_lane();
  for (uint entry = gl_WorkGroupID.x; entry < runs; entry += gl_NumWorkGroups.x) {
    const SortRun run = sort_run(entry, end);
    SortDigit own_0 = SortDigit(0u), own_1 = SortDigit(0u);
    uint all;
    const uvec2 counts = sort_counts(run, entry, lane);
    own_0.next = run.begin + workgroup_exclusive(counts.y, 0u, all) + counts.x;
    if (kLaneDigits == 2u) {
      const uvec2 others = sort_counts(run, entry, lane + kWorkgroupSize);
      uint rest;
      own_1.next = run.begin + all + workgroup_exclusive(others.y, 1u, rest) + others.x;
    }
    sort_move(run.share, end, own_0, own_1);
    barrier();
  }
}
