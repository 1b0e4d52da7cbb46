// SPDX-License-Identifier: MIT OR Apache-2.0
// What merge_sort_blocks.comp is built with.
#ifndef WEFT_MERGE_SORT_BLOCKS_H
#define WEFT_MERGE_SORT_BLOCKS_H
#include "sort/merge_sort_carried.h"

WEFT_CONSTANTS_BEGIN(merge_sort_blocks)
WEFT_CONSTANT(7, bool, kHasPositions, false)  // values or indices are written, or keys are a snippet's
WEFT_CONSTANTS_END

#endif
