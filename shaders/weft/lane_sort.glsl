// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A lane's sort in registers: its kMergeKeys elements by Batcher's odd-even merge sort. No lane meets another.
//
// The includer defines, as a constant, kMergeKeys, a power of two from 1 to 32.
#ifndef WEFT_LANE_SORT_GLSL
#define WEFT_LANE_SORT_GLSL

// For ELEMENT, a type for which
//   void merge_order(inout ELEMENT earlier, inout ELEMENT later)   puts two elements in order
// this defines
//   void lane_sort(inout ELEMENT elements[kMergeKeys])
// Elements that are equal have to be the same.
// (Bounds of inner loops do not depend on outer loops: not all drivers unroll those that do.)
#define WEFT_LANE_SORT(ELEMENT)                                                                                   \
  void lane_sort(inout ELEMENT elements[kMergeKeys]) {                                                            \
    [[unroll]] for (uint run = 1u; run < kMergeKeys; run *= 2u) {                                                 \
      [[unroll]] for (uint distance = kMergeKeys / 2u; distance != 0u; distance /= 2u) {                          \
        [[unroll]] for (uint i = 0; i < kMergeKeys; ++i) {                                                        \
          const uint other = (i + distance) % kMergeKeys;                                                         \
          const bool first = distance == run && (i & run) == 0u;                                                  \
          const bool inner = distance < run && other > i && (i & distance) != 0u && (i ^ other) < 2u * run;       \
          if (first || inner) merge_order(elements[i], elements[other]);                                          \
        }                                                                                                         \
      }                                                                                                           \
    }                                                                                                             \
  }

#endif
