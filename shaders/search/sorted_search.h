// SPDX-License-Identifier: MIT OR Apache-2.0
// What sorted_search.comp is built with. Its arguments are Merge's; bounds are what it writes as indices.
#ifndef WEFT_SORTED_SEARCH_H
#define WEFT_SORTED_SEARCH_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(sorted_search)
WEFT_CONSTANT(8, bool, kNeedlesAreA, true)  // before equal keys of the haystack, for lower bounds; else they are B
WEFT_CONSTANTS_END

#endif
