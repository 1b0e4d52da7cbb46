// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Compaction across a subgroup or a workgroup: each lane that keeps its item learns how many lanes before it keep
// theirs, which is where the item goes, and all learn how many there are.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow. Invocations are ordered by subgroup,
// then by lane, so that what is kept keeps its order. The workgroup's function holds one barrier before it reads; calls
// that follow one another without a barrier of the caller's own between them must alternate `slot` 0 and 1.
#ifndef WEFT_COMPACT_GLSL
#define WEFT_COMPACT_GLSL

#include "weft/subgroup.glsl"

// How many lanes of the subgroup before this one keep; `kept`: how many do in all, the same on all lanes.
uint subgroup_compact(bool keep, out uint kept) {
  const uvec4 lanes = subgroup_ballot(keep);
  kept = ballot_bit_count(lanes);
  return ballot_exclusive_bit_count(lanes, subgroup_lane());
}

shared uint weft_compact_counts[2 * kSubgroupCount];

// The same across the workgroup. There may be more subgroups than a subgroup has lanes.
uint workgroup_compact(bool keep, uint slot, out uint kept) {
  uint in_subgroup;
  const uint rank = subgroup_compact(keep, in_subgroup);
  const uint first = slot * kSubgroupCount;
  if (subgroup_lane() == 0u) weft_compact_counts[first + subgroup_index()] = in_subgroup;
  barrier();
  uint before = 0u;
  kept = 0u;
  for (uint chunk = 0u; chunk < kSubgroupCount; chunk += kSubgroupSize) {
    const uint other = chunk + subgroup_lane();
    uint count = 0u;
    if (other < kSubgroupCount) count = weft_compact_counts[first + other];
    before += subgroup_add(other < subgroup_index() ? count : 0u);
    kept += subgroup_add(count);
  }
  return before + rank;
}

#endif
