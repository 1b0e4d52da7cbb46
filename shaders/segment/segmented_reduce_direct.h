// SPDX-License-Identifier: MIT OR Apache-2.0
// What segmented_reduce_direct.comp is built with beside the constants of segmented_reduce.h.
#ifndef WEFT_SEGMENTED_REDUCE_DIRECT_H
#define WEFT_SEGMENTED_REDUCE_DIRECT_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(segmented_reduce_direct)
WEFT_CONSTANT(6, uint, kPass, 0)       // 0: reduce, 1: join, 2: finish, 3: reduce few
WEFT_CONSTANT(7, uint, kSliceLog, 15)  // the logarithm of a slice's items
WEFT_CONSTANTS_END

#endif
