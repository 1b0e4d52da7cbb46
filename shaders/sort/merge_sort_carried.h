// SPDX-License-Identifier: MIT OR Apache-2.0
// What goes with the keys of merge_sort_blocks.comp and merge_sort_merge.comp.
#ifndef WEFT_MERGE_SORT_CARRIED_H
#define WEFT_MERGE_SORT_CARRIED_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(merge_sort_carried)
WEFT_CONSTANT(8, bool, kCarriesIndices, false)
WEFT_CONSTANT(9, uint, kValueBytes, 0)  // 1, 2, a multiple of 4, or 0: no values
WEFT_CONSTANTS_END

#endif
