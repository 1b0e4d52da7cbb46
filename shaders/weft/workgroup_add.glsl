// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sums of numbers across a workgroup, mod 2^32.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow. Invocations are ordered by
// subgroup, then by lane. Each call holds one barrier before it reads; calls that follow one another without a
// barrier of the caller's own between them must alternate `slot` 0 and 1, so that no subgroup overwrites
// totals that another still reads.
#ifndef WEFT_WORKGROUP_ADD_GLSL
#define WEFT_WORKGROUP_ADD_GLSL

#include "weft/subgroup.glsl"

shared uvec2 weft_workgroup_totals[2 * kSubgroupCount];

// Of both numbers, the sum over the invocations up to and with this one, and in `total` that over all.
uvec2 workgroup_inclusive_add(uvec2 value, uint slot, out uvec2 total) {
  const uint first = slot * kSubgroupCount;
  uvec2 inclusive = uvec2(subgroup_inclusive_add(value.x), subgroup_inclusive_add(value.y));
  if (subgroup_lane() == kSubgroupSize - 1u) weft_workgroup_totals[first + subgroup_index()] = inclusive;
  barrier();
  uvec2 before = uvec2(0u);
  total = uvec2(0u);
  for (uint i = 0u; i < kSubgroupCount; ++i) {
    const uvec2 other = weft_workgroup_totals[first + i];
    before += i < subgroup_index() ? other : uvec2(0u);
    total += other;
  }
  return before + inclusive;
}

uint workgroup_inclusive_add(uint value, uint slot, out uint total) {
  uvec2 totals;
  const uvec2 inclusive = workgroup_inclusive_add(uvec2(value, 0u), slot, totals);
  total = totals.x;
  return inclusive.x;
}

#endif
