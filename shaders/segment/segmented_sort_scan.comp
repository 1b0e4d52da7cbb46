// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second dispatch of a pass of SegmentedSort over its long segments: for those of more than one run, turns the counts
// of each digit into their exclusive sums over the runs, and leaves the totals. A workgroup has kGroupDigits digits of
// a segment, and several lanes share the runs of one.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "segment/segmented_sort_runs.glsl"

const uint kGroupDigits = kBins < 16u ? kBins : 16u;
const uint kParts = kWorkgroupSize / kGroupDigits;
shared uint weft_part_totals[kWorkgroupSize];

void main() {
  const uint split_count = subgroup_uniform(min(Words(push.totals).at[1], push.max_split));
  Words splits = Words(word64_add(push.runs, word64_multiply(push.max_runs, 16u)));
  const uint lane = sort_lane();
  const uint part = lane / kGroupDigits;
  const uint digit = gl_WorkGroupID.y * kGroupDigits + lane % kGroupDigits;
  for (uint split = gl_WorkGroupID.x; split < split_count; split += gl_NumWorkGroups.x) {
    const uint first = subgroup_uniform(min(splits.at[split], push.max_runs - 1u));
    const uint runs = sort_run(first, 0u).runs;
    const uint each = runs / kParts + 1u;
    const uint begin = min(part * each, runs), end = min(begin + each, runs);
    uint total = 0u;
    for (uint run = begin; run < end; ++run) total += sort_counts_of(first + run).at[digit];
    weft_part_totals[lane] = total;
    barrier();
    uint sum = 0u;
    for (uint before = 0u; before < part; ++before)
      sum += weft_part_totals[before * kGroupDigits + lane % kGroupDigits];
    for (uint run = begin; run < end; ++run) {
      Words counts = sort_counts_of(first + run);
      const uint counted = counts.at[digit];
      counts.at[digit] = sum;
      sum += counted;
    }
    if (part == kParts - 1u && runs > 1u) sort_counts_of(first + runs).at[digit] = sum;
    barrier();
  }
}
