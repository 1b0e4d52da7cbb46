// SPDX-License-Identifier: MIT OR Apache-2.0
// What kernels with radix_sort_move.glsl are built with.
#ifndef WEFT_RADIX_SORT_MOVE_H
#define WEFT_RADIX_SORT_MOVE_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(radix_sort_move)
WEFT_CONSTANT(6, uint, kRows, 16)       // at most 16; of kWorkgroupSize keys each make a tile
WEFT_CONSTANT(7, uint, kValueWords, 0)  // 0: keys alone
WEFT_CONSTANT(8, uint, kPartRows, 16)   // divides kRows: staged at a time
WEFT_CONSTANTS_END

#endif
