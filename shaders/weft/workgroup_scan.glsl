// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan and reduction across a workgroup, over the types and operator of operator.glsl.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow. Invocations are ordered by subgroup,
// then by lane. Each function holds one barrier before it reads; calls that follow one another without a barrier of the
// caller's own between them must alternate `slot` 0 and 1, so that no subgroup overwrites totals another still reads.
#ifndef WEFT_WORKGROUP_SCAN_GLSL
#define WEFT_WORKGROUP_SCAN_GLSL

#include "weft/operator.glsl"

#ifndef WEFT_SEGMENT_GLSL
#define subgroup_inclusive_of_totals subgroup_inclusive
const uint kTotalsEnd = kSubgroupSize;  // the last lane before it has the aggregate of all totals
#endif

shared Accumulator weft_subgroup_totals[2 * kSubgroupCount];

// From each subgroup's total (the same on all of its lanes): the aggregate of the subgroups before this one, and in
// `aggregate` that of all, each the same on all lanes. Every subgroup scans all totals, so that one barrier is enough;
// there may be more totals than lanes.
Accumulator workgroup_exclusive_of_subgroups(Accumulator total, uint slot, out Accumulator aggregate) {
  const uint first = slot * kSubgroupCount;
  const uint lane = subgroup_lane();
  if (lane == 0u) weft_subgroup_totals[first + subgroup_index()] = total;
  barrier();
  Accumulator before = identity();
  Accumulator carry = identity();
  for (uint chunk = 0u; chunk < kSubgroupCount; chunk += kSubgroupSize) {
    Accumulator own = identity();
    if (chunk + lane < kSubgroupCount) own = weft_subgroup_totals[first + chunk + lane];
    const Accumulator inclusive = combine(carry, subgroup_inclusive_of_totals(own));
    // The subgroup before this one, where it lies in this chunk. Uniform in a subgroup only, so the shuffle is
    // unconditional and its result chosen.
    const uint previous = subgroup_index() - 1u - chunk;
    const Accumulator candidate = subgroup_shuffle(inclusive, previous & (kSubgroupSize - 1u));
    if (previous < kSubgroupSize) before = candidate;
    carry = subgroup_shuffle(inclusive, kTotalsEnd - 1u);
  }
  aggregate = carry;
  return before;
}

// The aggregate of the invocations before this one, and in `aggregate` that of all.
Accumulator workgroup_exclusive(Accumulator value, uint slot, out Accumulator aggregate) {
  const Accumulator inclusive = subgroup_inclusive(value);
  const Accumulator shifted = subgroup_shuffle_up(inclusive, 1u);
  const Accumulator total = subgroup_shuffle(inclusive, kSubgroupSize - 1u);
  const Accumulator before = workgroup_exclusive_of_subgroups(total, slot, aggregate);
  return subgroup_lane() == 0u ? before : combine(before, shifted);
}

// The aggregate of the invocations up to and with this one.
Accumulator workgroup_inclusive(Accumulator value, uint slot, out Accumulator aggregate) {
  return combine(workgroup_exclusive(value, slot, aggregate), value);
}

// The aggregate of all invocations, on all of them.
Accumulator workgroup_reduce(Accumulator value, uint slot) {
  Accumulator aggregate;
  workgroup_exclusive_of_subgroups(subgroup_reduce(value), slot, aggregate);
  return aggregate;
}

#endif
