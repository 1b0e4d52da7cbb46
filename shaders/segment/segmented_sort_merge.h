// SPDX-License-Identifier: MIT OR Apache-2.0
// What segmented_sort_merge.comp is built with, beside the constants of keys.
#ifndef WEFT_SEGMENTED_SORT_MERGE_H
#define WEFT_SEGMENTED_SORT_MERGE_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(segmented_sort_merge)
WEFT_CONSTANT(4, uint, kMergeKeys, 8)         // of a tile for each lane
WEFT_CONSTANT(7, bool, kHasPositions, false)  // there are values
WEFT_CONSTANT(9, uint, kValueBytes, 0)        // 0, 4 or 8
WEFT_CONSTANTS_END

#endif
