// SPDX-License-Identifier: MIT OR Apache-2.0
// What merge_sort_merge.comp is built with.
#ifndef WEFT_MERGE_SORT_MERGE_H
#define WEFT_MERGE_SORT_MERGE_H
#include "sort/merge_sort_carried.h"

WEFT_CONSTANTS_BEGIN(merge_sort_merge)
WEFT_CONSTANT(7, bool, kHasSides, false)    // values or indices go with the keys
WEFT_CONSTANT(10, bool, kFindsCuts, false)  // else they are found by a dispatch before
WEFT_CONSTANTS_END

#endif
