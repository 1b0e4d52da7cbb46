// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A subgroup's merge of two sorted pieces, A and B, in registers: kMergeKeys elements a lane, of which row r holds
// elements r * kSubgroupSize to (r + 1) * kSubgroupSize - 1, one for each lane. In steps:
//   subgroup_merge_path_split()  where pieces begin in two ranges: the search of merge_path.glsl by all lanes
//   or subgroup_merge_path_splits()  the same of two positions at once, in ranges of any length
//   (the caller loads)           A in order from element 0 on, B in reverse up to the last element, between them
//                                elements that come after all others: the rows are then bitonic, they rise and fall
//   subgroup_merge()             the rows in order: Batcher's bitonic merge network
// Elements of different lanes meet by shuffles, those of one lane in registers; native subgroups take no shared memory.
//
// The includer defines, as a constant, kMergeKeys, a power of two from 1 to 32. All functions here are called in
// workgroup-uniform control flow.
#ifndef WEFT_SUBGROUP_MERGE_GLSL
#define WEFT_SUBGROUP_MERGE_GLSL

#include "weft/merge_path.glsl"
#include "weft/subgroup.glsl"

const uint kSubgroupMergeKeys = kSubgroupSize * kMergeKeys;

// Emulated steps hold barriers, which software devices build at length.
#if WEFT_SUBGROUP_EMULATED
#define WEFT_MERGE_STEPS [[dont_unroll]]
#else
#define WEFT_MERGE_STEPS [[unroll]]
#endif

// For RANGES as of WEFT_MERGE_PATH this defines
//   uint subgroup_merge_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b)
// with the arguments and the result of merge_path_split(), the same on all lanes. MOST is a constant that count_a +
// count_b do not exceed, at most 2^24. Keys that are spread in the same way over both ranges have the cut close to the
// straight line between its ends, where the first probes are; then each step leaves one of kSubgroupSize parts.
#define WEFT_SUBGROUP_MERGE_PATH(RANGES, MOST)                                                                    \
  uint subgroup_merge_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b) {                      \
    const uint guess_stride = 4u;                                                                                 \
    uint low = diagonal - min(diagonal, count_b);                                                                 \
    uint high = min(diagonal, count_a);                                                                           \
    const uint line = uint(float(diagonal) * (float(count_a) / float(max(count_a + count_b, 1u))));               \
    const uint first = clamp(line - min(line, guess_stride * kSubgroupSize / 2u), low, high);                     \
    const uint guess = first + subgroup_lane() * guess_stride;                                                    \
    bool a_first = false;                                                                                         \
    if (guess < high) a_first = merge_path_a_first(ranges, guess, diagonal - 1u - guess);                         \
    const uint before = ballot_bit_count(subgroup_ballot(a_first));                                               \
    high = before == kSubgroupSize ? high : min(high, first + before * guess_stride);                             \
    low = before == 0u ? low : first + (before - 1u) * guess_stride + 1u;                                         \
    WEFT_MERGE_STEPS for (uint left = (MOST) / 2u; left != 0u; left /= kSubgroupSize) {                           \
      const uint stride = (high - low) / kSubgroupSize + 1u;                                                      \
      const uint a = low + (subgroup_lane() + 1u) * stride - 1u;                                                  \
      a_first = false;                                                                                            \
      if (a < high) a_first = merge_path_a_first(ranges, a, diagonal - 1u - a);                                   \
      const uint passed = ballot_bit_count(subgroup_ballot(a_first)) * stride;                                    \
      high = min(high, low + passed + stride - 1u);                                                               \
      low += passed;                                                                                              \
    }                                                                                                             \
    return low;                                                                                                   \
  }

// Whether nothing is left to be searched. Emulated steps hold barriers, for all subgroups.
#if WEFT_SUBGROUP_EMULATED
bool merge_path_is_done(uvec2 left) { return false; }
#else
bool merge_path_is_done(uvec2 left) { return subgroup_uniform(left.x | left.y) == 0u; }
#endif

// Of `left` positions, where a lane probes first: at either end, and between them around a guess.
uint merge_path_first_probe(uint lane, uint guess, uint stride, uint left) {
  const uint last = left - 1u;
  if (lane == 0u) return 0u;
  return lane == kSubgroupSize - 1u ? last : guess + min((lane - 1u) * stride, last - guess);
}

// The cut lies after as many probes as were passed: what is left of the positions of one search.
void merge_path_narrow(uint passed, uint probe_before, uint probe_behind, inout uint low, inout uint left) {
  const uint lower = passed == 0u ? 0u : probe_before + 1u;
  const uint upper = passed == kSubgroupSize ? left : min(probe_behind, left);
  // Of ranges that are not sorted, it may fall.
  left = max(upper, lower) - lower;
  low += lower;
}

// For RANGES as of WEFT_MERGE_PATH this defines
//   uvec2 subgroup_merge_path_splits(RANGES ranges, uvec2 diagonals, uint count_a, uint count_b, uint most)
// merge_path_split() of two diagonals, the same on all lanes. `most` is the same in all of the workgroup, and no less
// than the smaller of count_a and count_b. Both searches wait for memory together. The first round finds where one
// range is before the other; where keys are spread at random, it leaves about sqrt(count_a + count_b) / 16 positions,
// else each later one a part of kSubgroupSize / 2. Probes lie at multiples of their distance, a power of two: subgroups
// with neighbouring diagonals read the same lines.
#define WEFT_SUBGROUP_MERGE_PATHS(RANGES)                                                                          \
  /* For each diagonal, whether A's key is first that this lane probes; nothing where it is not below `left`. */   \
  uvec2 subgroup_merge_path_passed(RANGES ranges, uvec2 diagonals, uvec2 low, uvec2 left, uvec2 probe) {           \
    const bvec2 probes = lessThan(probe, left);                                                                    \
    bvec2 a_first = bvec2(false);                                                                                  \
    if (probes.x || probes.y) {                                                                                    \
      /* No branch in between: four loads are under way together. */                                               \
      const uint last = diagonals.x - 1u, other_last = diagonals.y - 1u;                                           \
      const uint a = low.x + probe.x, other_a = low.y + probe.y;                                                   \
      const uvec2 x = probes.x ? uvec2(a, last - a) : uvec2(other_a, other_last - other_a);                        \
      const uvec2 y = probes.y ? uvec2(other_a, other_last - other_a) : x;                                         \
      a_first = bvec2(merge_path_a_first(ranges, x.x, x.y), merge_path_a_first(ranges, y.x, y.y));                 \
      a_first = bvec2(probes.x && a_first.x, probes.y && a_first.y);                                               \
    }                                                                                                              \
    return uvec2(ballot_bit_count(subgroup_ballot(a_first.x)), ballot_bit_count(subgroup_ballot(a_first.y)));      \
  }                                                                                                                \
  uvec2 subgroup_merge_path_splits(RANGES ranges, uvec2 diagonals, uint count_a, uint count_b, uint most) {        \
    const uint lane = subgroup_lane();                                                                             \
    const uint total = max(count_a + count_b, 1u);                                                                 \
    uvec2 low = diagonals - min(diagonals, uvec2(count_b));                                                        \
    uvec2 left = min(diagonals, uvec2(count_a)) - low;                                                             \
    /* The cut of random keys has a standard deviation of at most sqrt(total) / 4: probes reach 3 to 5 of them. */ \
    const uint apart = max((2u << ((uint(findMSB(total)) + 1u) / 2u)) / kSubgroupSize, 1u);                        \
    const vec2 line = min(vec2(diagonals) * (float(count_a) / float(total)), vec2(4294967040.0));                  \
    const uvec2 back = min(uvec2(line), uvec2(apart * (kSubgroupSize / 2u - 1u)));                                 \
    const uvec2 begin = clamp((uvec2(line) - back) & ~(apart - 1u), low, low + left) - low;                        \
    const uvec2 guess = min(begin, left - min(left, uvec2(1u)));                                                   \
    uvec2 passed = subgroup_merge_path_passed(ranges, diagonals, low, left,                                        \
                                              uvec2(merge_path_first_probe(lane, guess.x, apart, left.x),          \
                                                    merge_path_first_probe(lane, guess.y, apart, left.y)));        \
    merge_path_narrow(passed.x, merge_path_first_probe(passed.x - 1u, guess.x, apart, left.x),                     \
                      merge_path_first_probe(passed.x, guess.x, apart, left.x), low.x, left.x);                    \
    merge_path_narrow(passed.y, merge_path_first_probe(passed.y - 1u, guess.y, apart, left.y),                     \
                      merge_path_first_probe(passed.y, guess.y, apart, left.y), low.y, left.y);                    \
    [[dont_unroll]] for (; most != 0u; most /= kSubgroupSize / 2u) {                                               \
      if (merge_path_is_done(left)) break;                                                                         \
      const uvec2 parts = (max(left, uvec2(1u)) - 1u) / kSubgroupSize;                                             \
      const uvec2 stride = mix(uvec2(2u) << uvec2(findMSB(parts)), uvec2(1u), equal(parts, uvec2(0u)));            \
      const uvec2 first = (0u - low) & (stride - 1u);                                                              \
      passed = subgroup_merge_path_passed(ranges, diagonals, low, left, first + lane * stride);                    \
      const uvec2 behind = first + passed * stride;                                                                \
      merge_path_narrow(passed.x, behind.x - stride.x, behind.x, low.x, left.x);                                   \
      merge_path_narrow(passed.y, behind.y - stride.y, behind.y, low.y, left.y);                                   \
    }                                                                                                              \
    return low;                                                                                                    \
  }

// For ELEMENT, a type for which
//   void merge_order(inout ELEMENT earlier, inout ELEMENT later)       puts two elements in order
//   ELEMENT merge_keep(ELEMENT own, ELEMENT other, bool later)         is the later of two elements, or the earlier
//   ELEMENT subgroup_shuffle_xor(ELEMENT element, uint mask)           is that of another lane
// this defines
//   void subgroup_merge(inout ELEMENT elements[kMergeKeys])
// which leaves bitonic rows in order. Elements that are equal have to be the same: an order among equal
// keys is decided by their positions.
#define WEFT_SUBGROUP_MERGE(ELEMENT)                                                                              \
  void subgroup_merge(inout ELEMENT elements[kMergeKeys]) {                                                       \
    [[unroll]] for (uint distance = kMergeKeys / 2u; distance != 0u; distance /= 2u) {                            \
      [[unroll]] for (uint i = 0; i < kMergeKeys; ++i)                                                            \
        if ((i & distance) == 0u) merge_order(elements[i], elements[i | distance]);                               \
    }                                                                                                             \
    WEFT_MERGE_STEPS for (uint mask = kSubgroupSize / 2u; mask != 0u; mask /= 2u) {                               \
      const bool later = (subgroup_lane() & mask) != 0u;                                                          \
      [[unroll]] for (uint i = 0; i < kMergeKeys; ++i)                                                            \
        elements[i] = merge_keep(elements[i], subgroup_shuffle_xor(elements[i], mask), later);                    \
    }                                                                                                             \
  }

// Words as elements.
void merge_order(inout uint earlier, inout uint later) {
  const uint first = min(earlier, later);
  later = max(earlier, later);
  earlier = first;
}
uint merge_keep(uint own, uint other, bool later) { return later ? max(own, other) : min(own, other); }

#endif
