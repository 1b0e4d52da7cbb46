// SPDX-License-Identifier: MIT OR Apache-2.0
// What histogram.comp is built with.
#ifndef WEFT_HISTOGRAM_TABLE_H
#define WEFT_HISTOGRAM_TABLE_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(histogram_table)
WEFT_CONSTANT(2, uint, kTableRows, 256)  // at least the number of bins; of items of one byte 256; 0: no table
WEFT_CONSTANT(4, uint, kCopies, 8)       // a power of two
WEFT_CONSTANT(5, bool, kByLevels, false)
WEFT_CONSTANT(6, uint, kTableLevels, 0)  // at least the number of levels; 0: they are read from the buffer
WEFT_CONSTANTS_END

#endif
