// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs of equal items across a subgroup or a workgroup, one item a lane: which items begin a run, and where the run of
// an item began. Keys of other types are compared by the caller, who passes a word that differs where they do, or the
// heads themselves.
//
// Who calls, and `slot`: as in weft/compact.glsl.
#ifndef WEFT_RUN_HEADS_GLSL
#define WEFT_RUN_HEADS_GLSL

#include "weft/subgroup.glsl"

// Whether this lane's item differs from the one before it. Before lane 0 comes `before`, or
// nothing: then lane 0 is a head.
bool subgroup_run_head(uint item, uint before, bool has_before) {
  const uint previous = subgroup_shuffle_up(item, 1u);
  return subgroup_lane() == 0u ? !has_before || item != before : item != previous;
}

// The lane in which this lane's run began; 128 where that was before the subgroup's first.
uint subgroup_run_start(bool head) { return ballot_highest_bit_through(subgroup_ballot(head), subgroup_lane()); }

shared uint weft_run_items[2 * kSubgroupCount];
shared uint weft_run_starts[2 * kSubgroupCount];

// As subgroup_run_head(), across the workgroup.
bool workgroup_run_head(uint item, uint before, bool has_before, uint slot) {
  const uint first = slot * kSubgroupCount;
  if (subgroup_lane() == kSubgroupSize - 1u) weft_run_items[first + subgroup_index()] = item;
  barrier();
  const bool is_first = subgroup_index() == 0u;
  uint own_before = before;
  if (!is_first) own_before = weft_run_items[first + subgroup_index() - 1u];
  return subgroup_run_head(item, own_before, !is_first || has_before);
}

// The position in the workgroup, subgroup times its size plus lane, in which this lane's run began; ~0 where that was
// before the first.
uint workgroup_run_start(bool head, uint slot) {
  const uint first = slot * kSubgroupCount;
  const uvec4 heads = subgroup_ballot(head);
  const uint last = ballot_highest_bit(heads);
  // 0: none.
  if (subgroup_lane() == 0u)
    weft_run_starts[first + subgroup_index()] = last < 128u ? subgroup_index() * kSubgroupSize + last + 1u : 0u;
  barrier();
  uint before = 0u;
  for (uint chunk = 0u; chunk < kSubgroupCount; chunk += kSubgroupSize) {
    const uint other = chunk + subgroup_lane();
    uint start = 0u;
    if (other < subgroup_index()) start = weft_run_starts[first + other];
    before = max(before, subgroup_max(start));
  }
  const uint own = ballot_highest_bit_through(heads, subgroup_lane());
  return own < 128u ? subgroup_index() * kSubgroupSize + own : before - 1u;
}

#endif
