// SPDX-License-Identifier: MIT OR Apache-2.0
// What interval_move_lines.comp and its sums are built with beside the constants of interval_move.h.
#ifndef WEFT_INTERVAL_MOVE_LINES_H
#define WEFT_INTERVAL_MOVE_LINES_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(interval_move_lines)
WEFT_CONSTANT(9, uint, kLineItemBytes, 1)  // of the items in memory: 1, 2, or a multiple of 4 up to 256
WEFT_CONSTANTS_END

#endif
