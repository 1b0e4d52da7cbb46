// SPDX-License-Identifier: MIT OR Apache-2.0
// What kernels with radix_sort_count.glsl are built with.
#ifndef WEFT_RADIX_SORT_COUNT_H
#define WEFT_RADIX_SORT_COUNT_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(radix_sort_count)
WEFT_CONSTANT(6, uint, kCopies, 8)  // a power of two
WEFT_CONSTANTS_END

#endif
