// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A subgroup's sort in registers: kMergeKeys elements a lane, in any order, come to lie so that lane l holds elements l
// * kMergeKeys to (l + 1) * kMergeKeys - 1 of the order, one after the other. A lane sorts its own by Batcher's
// odd-even merge sort; then halves of 2, 4, 8 lanes and so on are merged by bitonic networks. With neighbours of the
// order in one lane most steps need no shuffle: of 32 lanes 15 do, whatever kMergeKeys is. (Rows of one element a lane,
// as subgroup_merge.glsl has them, would take 35 of 16 elements.)
//
// The includer defines what subgroup_merge.glsl asks for. All functions here are called in
// workgroup-uniform control flow.
#ifndef WEFT_SUBGROUP_SORT_GLSL
#define WEFT_SUBGROUP_SORT_GLSL

#include "weft/lane_sort.glsl"
#include "weft/subgroup_merge.glsl"

// For ELEMENT, a type with the functions that WEFT_SUBGROUP_MERGE asks for, this defines
//   void subgroup_sort(inout ELEMENT elements[kMergeKeys])
// Elements that are equal have to be the same: positions that elements carry make the order stable. What is
// compared may be no order at all: then elements move, and nothing else happens.
#define WEFT_SUBGROUP_SORT(ELEMENT)                                                                               \
  void subgroup_sort(inout ELEMENT elements[kMergeKeys]) {                                                        \
    WEFT_LANE_SORT(elements)                                                                                      \
    WEFT_MERGE_STEPS for (uint lanes = 2u; lanes <= kSubgroupSize; lanes *= 2u) {                                 \
      bool later = (subgroup_lane() & (lanes / 2u)) != 0u;                                                        \
      [[unroll]] for (uint i = 0; i < (kMergeKeys + 1u) / 2u; ++i) {                                              \
        const uint mirrored = kMergeKeys - 1u - i;                                                                \
        const ELEMENT other = subgroup_shuffle_xor(elements[mirrored], lanes - 1u);                               \
        if (i != mirrored)                                                                                        \
          elements[mirrored] =                                                                                    \
              merge_keep(elements[mirrored], subgroup_shuffle_xor(elements[i], lanes - 1u), later);               \
        elements[i] = merge_keep(elements[i], other, later);                                                      \
      }                                                                                                           \
      WEFT_MERGE_STEPS for (uint mask = kSubgroupSize / 4u; mask != 0u; mask /= 2u) {                             \
        if (mask < lanes / 2u) {                                                                                  \
          later = (subgroup_lane() & mask) != 0u;                                                                 \
          [[unroll]] for (uint i = 0; i < kMergeKeys; ++i)                                                        \
            elements[i] = merge_keep(elements[i], subgroup_shuffle_xor(elements[i], mask), later);                \
        }                                                                                                         \
      }                                                                                                           \
      [[unroll]] for (uint distance = kMergeKeys / 2u; distance != 0u; distance /= 2u) {                          \
        [[unroll]] for (uint i = 0; i < kMergeKeys; ++i)                                                          \
          if ((i & distance) == 0u) merge_order(elements[i], elements[i | distance]);                             \
      }                                                                                                           \
    }                                                                                                             \
  }

#endif
