// SPDX-License-Identifier: MIT OR Apache-2.0
// What adjacent_difference.comp is built with and pushed.
#ifndef WEFT_ADJACENT_DIFFERENCE_H
#define WEFT_ADJACENT_DIFFERENCE_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(adjacent_difference)
WEFT_CONSTANT(4, bool, kRight, false)
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct AdjacentDifferencePush {
  weft_address items;    // count items
  weft_address outputs;  // count items
  weft_address count;    // 0: use count_value
  weft_u64 count_value;  // the count, or its maximum
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 head;         // absent items before the first, so that tiles start on a vector boundary
};
WEFT_STRUCT_END

#endif
