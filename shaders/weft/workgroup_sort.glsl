// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A workgroup's sort: kMergeKeys elements a lane, in any order, come to lie as subgroup_merge.glsl has them,
// subgroup after subgroup: row r of lane l of subgroup s is element (s * kMergeKeys + r) * kSubgroupSize + l of
// the order, so that lanes store neighbours. Subgroups sort what they have in registers. Then runs are merged, two
// and two: they lie in shared memory, each subgroup cuts its part of the merge out of them by merge path, and
// merges it in registers again.
//
// The includer defines what subgroup_merge.glsl asks for. All functions here are called in
// workgroup-uniform control flow.
#ifndef WEFT_WORKGROUP_SORT_GLSL
#define WEFT_WORKGROUP_SORT_GLSL

#include "weft/subgroup_sort.glsl"

const uint kWorkgroupSortKeys = kWorkgroupSize * kMergeKeys;
// Of an array in shared memory that is indexed by workgroup_sort_slot().
const uint kWorkgroupSortRoom = (kWorkgroupSortKeys + 31u) / 32u * 32u;

// Where element i lies: lanes that hold kMergeKeys neighbours each meet different banks, and so
// do lanes that are neighbours.
uint workgroup_sort_slot(uint i) { return i ^ ((i >> 5) & 31u); }

// How many elements of its earlier run are before each subgroup's.
shared uint weft_sort_cuts[kSubgroupCount];

// Two runs in shared memory.
struct WorkgroupSortRuns {
  uint a, b;
};

// For a type that is kept in shared memory as it is, this defines what WEFT_WORKGROUP_SORT asks for.
#define WEFT_WORKGROUP_SORT_SHARED(ELEMENT)                                                                       \
  shared ELEMENT weft_sort_elements[kWorkgroupSortRoom];                                                          \
  void workgroup_sort_put(uint i, ELEMENT element) { weft_sort_elements[workgroup_sort_slot(i)] = element; }      \
  ELEMENT workgroup_sort_at(uint i) { return weft_sort_elements[workgroup_sort_slot(i)]; }

// For ELEMENT, a type for which WEFT_SUBGROUP_MERGE and WEFT_SUBGROUP_SORT stand before, and
//   bool merge_less(ELEMENT a, ELEMENT b)              whether a is before b
//   void workgroup_sort_put(uint i, ELEMENT element)   keeps element i of kWorkgroupSortKeys in shared memory
//   ELEMENT workgroup_sort_at(uint i)                  is the element kept last as i
// this defines
//   void workgroup_sort(inout ELEMENT elements[kMergeKeys])
// Equal elements have to be the same, as for subgroup_sort(). Elements that are not there are the
// includer's to pad with some that come after all others. Whoever writes to the same shared memory
// afterwards has a barrier before it.
#define WEFT_WORKGROUP_SORT(ELEMENT)                                                                              \
  bool merge_path_a_first(WorkgroupSortRuns runs, uint a, uint b) {                                               \
    return !merge_less(workgroup_sort_at(runs.b + b), workgroup_sort_at(runs.a + a));                             \
  }                                                                                                               \
  WEFT_SUBGROUP_MERGE_PATH(WorkgroupSortRuns, kWorkgroupSortKeys)                                                 \
  void workgroup_sort(inout ELEMENT elements[kMergeKeys]) {                                                       \
    subgroup_sort(elements);                                                                                      \
    const uint first = subgroup_index() * kSubgroupMergeKeys;                                                     \
    barrier();                                                                                                    \
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)                                                              \
      workgroup_sort_put(first + subgroup_lane() * kMergeKeys + r, elements[r]);                                  \
    barrier();                                                                                                    \
    if (kSubgroupCount == 1u) {                                                                                   \
      [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)                                                            \
        elements[r] = workgroup_sort_at(r * kSubgroupSize + subgroup_lane());                                     \
    }                                                                                                             \
    [[dont_unroll]] for (uint run = kSubgroupMergeKeys; run < kWorkgroupSortKeys; run *= 2u) {                    \
      const uint begin = first - first % (2u * run);                                                              \
      const uint count_a = min(run, kWorkgroupSortKeys - begin);                                                  \
      const uint count_b = min(run, kWorkgroupSortKeys - begin - count_a);                                        \
      const uint diagonal = first - begin;                                                                        \
      const WorkgroupSortRuns runs = WorkgroupSortRuns(begin, begin + count_a);                                   \
      const uint cut = subgroup_merge_path_split(runs, diagonal, count_a, count_b);                               \
      if (subgroup_lane() == 0u) weft_sort_cuts[subgroup_index()] = cut;                                          \
      barrier();                                                                                                  \
      const bool is_last = diagonal + kSubgroupMergeKeys >= count_a + count_b;                                    \
      const uint after = weft_sort_cuts[min(subgroup_index() + 1u, kSubgroupCount - 1u)];                         \
      const uint piece_a = clamp(is_last ? count_a : after, cut, cut + kSubgroupMergeKeys) - cut;                 \
      [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {                                                          \
        const uint i = r * kSubgroupSize + subgroup_lane();                                                       \
        const uint at_b = count_a + diagonal - cut + (kSubgroupMergeKeys - 1u - i);                               \
        elements[r] = workgroup_sort_at(begin + (i < piece_a ? cut + i : at_b));                                  \
      }                                                                                                           \
      subgroup_merge(elements);                                                                                   \
      if (2u * run < kWorkgroupSortKeys) {                                                                        \
        barrier();                                                                                                \
        [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)                                                          \
          workgroup_sort_put(first + r * kSubgroupSize + subgroup_lane(), elements[r]);                           \
        barrier();                                                                                                \
      }                                                                                                           \
    }                                                                                                             \
  }

bool merge_less(uint a, uint b) { return a < b; }

#endif
