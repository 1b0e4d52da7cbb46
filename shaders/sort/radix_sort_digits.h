// SPDX-License-Identifier: MIT OR Apache-2.0
// What kernels with digits of radix_sort_digits.glsl are built with.
#ifndef WEFT_RADIX_SORT_DIGITS_H
#define WEFT_RADIX_SORT_DIGITS_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(radix_sort_digits)
WEFT_CONSTANT(2, uint, kKeyWords, 1)   // 1 or 2
WEFT_CONSTANT(3, uint, kDigitBits, 8)  // 1 to 8, of a pass at most
WEFT_CONSTANT(4, uint, kTileKeys, 4096)
WEFT_CONSTANT(5, bool, kFlips, true)  // false: keys are in order as they are
WEFT_CONSTANTS_END

#endif
