// SPDX-License-Identifier: MIT OR Apache-2.0
// What segmented_sort_heads.comp is built with.
#ifndef WEFT_SEGMENTED_SORT_HEADS_H
#define WEFT_SEGMENTED_SORT_HEADS_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(segmented_sort_heads)
WEFT_CONSTANT(2, uint, kOffsetWords, 1)  // 1 or 2
WEFT_CONSTANTS_END

#endif
