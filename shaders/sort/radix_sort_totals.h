// SPDX-License-Identifier: MIT OR Apache-2.0
// What radix_sort_totals.comp is built with.
#ifndef WEFT_RADIX_SORT_TOTALS_H
#define WEFT_RADIX_SORT_TOTALS_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(radix_sort_totals)
WEFT_CONSTANT(7, uint, kBeginBit, 0)
WEFT_CONSTANT(8, uint, kEndBit, 32)
WEFT_CONSTANT(9, uint, kPasses, 4)
WEFT_CONSTANTS_END

#endif
