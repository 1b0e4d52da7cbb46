// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Marks on the positions of a workgroup's tile: a bit each in shared memory, and how many positions before any position
// are marked. In steps:
//   marks_clear()            then a barrier
//   marks_set()              any invocation, any number of times, then a barrier
//   workgroup_marks_count()
// Then marks_at() and marks_before() answer for any position. To go through the steps again, the
// caller needs a barrier first.
//
// The includer defines, as a constant, kMarkPlaces, a multiple of 32.
#ifndef WEFT_MARKS_GLSL
#define WEFT_MARKS_GLSL

#include "weft/subgroup.glsl"

// Words of marks that a lane clears and counts.
const uint kLaneMarkWords = (kMarkPlaces / 32u + kWorkgroupSize - 1u) / kWorkgroupSize;
shared uint weft_marks[kLaneMarkWords * kWorkgroupSize];
shared uint weft_marks_before[kLaneMarkWords * kWorkgroupSize];  // marks in the words before
shared uint weft_marks_of_subgroups[kSubgroupCount];

void marks_clear() {
  const uint first = (subgroup_index() * kSubgroupSize + subgroup_lane()) * kLaneMarkWords;
  [[unroll]] for (uint i = 0; i < kLaneMarkWords; ++i) weft_marks[first + i] = 0u;
}

// Marks positions 32 word to 32 word + 31 for which a bit is set.
void marks_set(uint word, uint bits) { atomicOr(weft_marks[word], bits); }
void marks_set(uint position) { marks_set(position >> 5, 1u << (position & 31u)); }

// Counts the marks, and gives how many there are. Every invocation of the workgroup calls, in workgroup-uniform control
// flow. Holds two barriers, one of them at its end.
uint workgroup_marks_count() {
  const uint first = (subgroup_index() * kSubgroupSize + subgroup_lane()) * kLaneMarkWords;
  uint own = 0u;
  [[unroll]] for (uint i = 0; i < kLaneMarkWords; ++i) own += uint(bitCount(weft_marks[first + i]));
  const uint inclusive = subgroup_inclusive_add(own);
  if (subgroup_lane() == kSubgroupSize - 1u) weft_marks_of_subgroups[subgroup_index()] = inclusive;
  barrier();
  uint before = inclusive - own;
  uint all = 0u;
  for (uint i = 0u; i < kSubgroupCount; ++i) {
    const uint marks = weft_marks_of_subgroups[i];
    before += mix(0u, marks, i < subgroup_index());
    all += marks;
  }
  [[unroll]] for (uint i = 0; i < kLaneMarkWords; ++i) {
    weft_marks_before[first + i] = before;
    before += uint(bitCount(weft_marks[first + i]));
  }
  barrier();
  return all;
}

// Whether a position is marked.
bool marks_at(uint position) { return ((weft_marks[position >> 5] >> (position & 31u)) & 1u) != 0u; }

// How many positions before it are.
uint marks_before(uint position) {
  const uint bits_before = (1u << (position & 31u)) - 1u;
  return weft_marks_before[position >> 5] + uint(bitCount(weft_marks[position >> 5] & bits_before));
}

// The marks of `count` neighbouring positions, below 32, from one on that is a multiple of them: bit i is the i-th.
uint marks_of(uint position, uint count) {
  return (weft_marks[position >> 5] >> (position & 31u)) & ((1u << count) - 1u);
}

#endif
