// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Where two sorted ranges, A and B, have to be cut so that their set operations can be cut there: the balanced
// path of Baxter. Of a key that A has m times and B n times, the first min(m, n) in each are pairs, key i of one
// with key i of the other, and what is left over has none. The path takes both of a pair together, then what is
// left over, and no cut divides a pair: what a piece between two cuts contributes to a union, intersection or
// difference depends on that piece alone.
//
// As with merge_path.glsl, nothing here crosses lanes, and ranges that are not sorted give a cut that means nothing,
// but lies in both.
#ifndef WEFT_BALANCED_PATH_GLSL
#define WEFT_BALANCED_PATH_GLSL

#include "weft/merge_path.glsl"

// Keys of A and of B before a cut.
struct BalancedCut {
  uint a, b;
};

// `first` becomes the first index from 0 up to it of a run that ends there; RUNS_ON says of index
// `probe` whether it belongs to the run. Steps grow from the end on and are then halved: a run of n takes
// about 2 log2(n) of them, at most 64.
#define WEFT_BALANCED_RUN_BEGIN(first, RUNS_ON)                                               \
  {                                                                                           \
    uint low = 0u;                                                                            \
    uint stride = 1u;                                                                         \
    for (uint i = 0u; i < 64u && low < first; ++i) {                                          \
      const uint left = first - low;                                                          \
      const uint probe = stride != 0u ? first - min(stride, left) : low + (left >> 1);        \
      const bool runs_on = RUNS_ON;                                                           \
      first = runs_on ? probe : first;                                                        \
      low = runs_on ? low : probe + 1u;                                                       \
      stride = runs_on ? stride << 1 : 0u;                                                    \
    }                                                                                         \
  }

// For RANGES with a WEFT_MERGE_PATH, of which merge_path_a_first() puts equal keys of A first, and for which
//   bool balanced_path_a_less(RANGES ranges, uint a, uint b)
// says whether key a of A is less than key b of B, this defines
//   BalancedCut balanced_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b)
// the cut with `diagonal` keys before it, or with one more where that would divide a pair. `diagonal` is
// at most count_a + count_b, which is below 2^32. Besides the search of the merge path it takes a step, and
// where a run of equal keys is cut that both ranges have, a number of steps that grows with the logarithm of
// the run's length, at most 160.
#define WEFT_BALANCED_PATH(RANGES)                                                                                \
  BalancedCut balanced_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b) {                     \
    const uint split_a = merge_path_split(ranges, diagonal, count_a, count_b);                                    \
    const uint split_b = diagonal - split_a;                                                                      \
    BalancedCut cut = BalancedCut(split_a, split_b);                                                              \
    if (split_a == 0u || split_b >= count_b) return cut;                                                          \
    if (balanced_path_a_less(ranges, split_a - 1u, split_b)) return cut;                                          \
    /* Key split_a - 1 of A is equal to key split_b of B. */                                                      \
    uint first_a = split_a - 1u;                                                                                  \
    WEFT_BALANCED_RUN_BEGIN(first_a, !balanced_path_a_less(ranges, probe, split_b))                               \
    uint first_b = split_b;                                                                                       \
    WEFT_BALANCED_RUN_BEGIN(first_b, merge_path_a_first(ranges, split_a - 1u, probe))                             \
    /* Half of the run's keys before the cut are of B, if B has so many, or more if A has fewer. */               \
    const uint keys = diagonal - first_a - first_b;                                                               \
    const uint wanted = max(keys >> 1, split_b - first_b);                                                        \
    uint low = split_b + 1u;                                                                                      \
    uint high = max(low, first_b + min(wanted + 1u, count_b - first_b));                                          \
    for (uint i = 0u; i < 32u && low < high; ++i) {                                                               \
      const uint middle = low + ((high - low) >> 1);                                                              \
      const bool runs_on = !balanced_path_a_less(ranges, split_a - 1u, middle);                                   \
      low = runs_on ? middle + 1u : low;                                                                          \
      high = runs_on ? high : middle;                                                                             \
    }                                                                                                             \
    const uint run_b = low - first_b;                                                                             \
    const uint taken_b = min(wanted, run_b);                                                                      \
    const uint taken_a = keys - taken_b;                                                                          \
    cut.a = first_a + taken_a;                                                                                    \
    cut.b = first_b + taken_b + (taken_a == taken_b + 1u && taken_b < run_b ? 1u : 0u);                           \
    return cut;                                                                                                   \
  }

// Of ranges whose equal_from_a is set.
bool balanced_path_a_less(MergeRanges ranges, uint a, uint b) {
  return word64_less(ordered_key_load(ranges.keys_a, a), ordered_key_load(ranges.keys_b, b));
}

WEFT_BALANCED_PATH(MergeRanges)

#endif
