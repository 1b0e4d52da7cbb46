// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A lane's sort in registers: its kMergeKeys elements by Batcher's odd-even merge sort. No lane meets another.
//
// The includer defines, as a constant, kMergeKeys, a power of two from 1 to 32.
#ifndef WEFT_LANE_SORT_GLSL
#define WEFT_LANE_SORT_GLSL

// Sorts ELEMENTS[kMergeKeys], for whose type
//   void merge_order(inout ELEMENT earlier, inout ELEMENT later)   puts two elements in order.
// Elements that are equal have to be the same.
// (No function, as a parameter would be a copy of the array that not all drivers remove. Steps are written out: not all
// drivers unroll loops in loops.)
#define WEFT_LANE_SORT(ELEMENTS)                                                                           \
  WEFT_LANE_SORT_STEP(ELEMENTS, 1u, 1u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 2u, 2u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 2u, 1u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 4u, 4u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 4u, 2u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 4u, 1u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 8u, 8u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 8u, 4u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 8u, 2u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 8u, 1u)                                                                    \
  WEFT_LANE_SORT_STEP(ELEMENTS, 16u, 16u)                                                                  \
  WEFT_LANE_SORT_STEP(ELEMENTS, 16u, 8u)                                                                   \
  WEFT_LANE_SORT_STEP(ELEMENTS, 16u, 4u)                                                                   \
  WEFT_LANE_SORT_STEP(ELEMENTS, 16u, 2u)                                                                   \
  WEFT_LANE_SORT_STEP(ELEMENTS, 16u, 1u)

// Runs of RUN elements are merged in pairs: elements at a distance.
#define WEFT_LANE_SORT_STEP(ELEMENTS, RUN, DISTANCE)                                                       \
  if (RUN < kMergeKeys) {                                                                                  \
    [[unroll]] for (uint i = 0; i < kMergeKeys; ++i) {                                                     \
      const uint other = (i + DISTANCE) % kMergeKeys;                                                      \
      const bool first = DISTANCE == RUN && (i & RUN) == 0u;                                               \
      const bool inner = DISTANCE < RUN && other > i && (i & DISTANCE) != 0u && (i ^ other) < 2u * RUN;    \
      if (first || inner) merge_order(ELEMENTS[i], ELEMENTS[other]);                                       \
    }                                                                                                      \
  }

#endif
