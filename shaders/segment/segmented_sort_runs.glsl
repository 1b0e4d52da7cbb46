// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of SegmentedSort's passes share: the runs of long segments, and where their counts lie. A workgroup
// goes through some of the runs. What is read from scratch is bounded before it is used, since entries that were left
// out have never been written.
//
// Specialization constants: those of radix_sort_digits.glsl.
#ifndef WEFT_SEGMENTED_SORT_RUNS_GLSL
#define WEFT_SEGMENTED_SORT_RUNS_GLSL

#include "segment/segmented_sort.h"
#define WEFT_SORT_PUSH SegmentedSortPush
#include "sort/radix_sort_digits.glsl"

// Entries in the list.
uint sort_runs() { return subgroup_uniform(min(Words(push.totals).at[0], push.max_runs)); }

// Where all segments end.
uint sort_end() { return subgroup_uniform(Words(push.totals).at[2]); }

struct SortRun {
  uvec2 share;  // keys [x, y), none where the entry is for totals
  uint begin;   // of the segment
  uint first;   // entry of the segment
  uint runs;    // of the segment; its totals are after them where there is more than one
};

SortRun sort_run(uint entry, uint end_of_all) {
  const uvec4 stored = Words4(word64_add(push.runs, word64_multiply(entry, 16u))).at[0];
  SortRun run;
  run.begin = subgroup_uniform(min(stored.x, end_of_all));
  const uint end = subgroup_uniform(clamp(stored.y, run.begin, end_of_all));
  run.first = subgroup_uniform(min(stored.z, entry));
  run.runs = subgroup_uniform(max(min(stored.w, push.max_runs - 1u - run.first), 1u));
  run.share = run.begin + tile_share(end - run.begin, min(entry - run.first, run.runs), run.runs);
  return run;
}

// The counts of an entry, one for each digit.
Words sort_counts_of(uint entry) { return Words(word64_add(push.table, word64_multiply(entry, 4u * kBins))); }

#endif
