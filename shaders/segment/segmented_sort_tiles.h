// SPDX-License-Identifier: MIT OR Apache-2.0
// What segmented_sort_tiles.comp is built with, beside the constants of ordered_key.h.
#ifndef WEFT_SEGMENTED_SORT_TILES_H
#define WEFT_SEGMENTED_SORT_TILES_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(segmented_sort_tiles)
WEFT_CONSTANT(4, uint, kValueWords, 0)    // 0: keys alone
WEFT_CONSTANT(5, bool, kFlips, true)      // false: keys are in order as they are
WEFT_CONSTANT(6, uint, kShortKeys, 1024)  // of the longest short segment; at most half a tile
WEFT_CONSTANT(7, uint, kMergeKeys, 16)    // of a block that a lane sorts: a power of two from 2 to 16
WEFT_CONSTANT(8, uint, kOffsetWords, 1)   // 1 or 2
WEFT_CONSTANTS_END

#endif
