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
// (No function, as a parameter would be a copy of the array that not all drivers remove. Bounds of inner loops do not
// depend on outer loops: not all drivers unroll those that do.)
#define WEFT_LANE_SORT(ELEMENTS)                                                                              \
  [[unroll]] for (uint run = 1u; run < kMergeKeys; run *= 2u) {                                               \
    [[unroll]] for (uint distance = kMergeKeys / 2u; distance != 0u; distance /= 2u) {                        \
      [[unroll]] for (uint i = 0; i < kMergeKeys; ++i) {                                                      \
        const uint other = (i + distance) % kMergeKeys;                                                       \
        const bool first = distance == run && (i & run) == 0u;                                                \
        const bool inner = distance < run && other > i && (i & distance) != 0u && (i ^ other) < 2u * run;     \
        if (first || inner) merge_order(ELEMENTS[i], ELEMENTS[other]);                                        \
      }                                                                                                       \
    }                                                                                                         \
  }

#endif
