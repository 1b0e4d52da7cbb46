// SPDX-License-Identifier: MIT OR Apache-2.0
// What set_operation_write.comp is built with.
#ifndef WEFT_SET_OPERATION_WRITE_H
#define WEFT_SET_OPERATION_WRITE_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(set_operation_write)
WEFT_CONSTANT(7, bool, kWritesKeys, true)
WEFT_CONSTANT(8, bool, kWritesIndices, false)
WEFT_CONSTANT(9, uint, kValueBytes, 0)  // 1, 2, a multiple of 4, or 0: no values
WEFT_CONSTANTS_END

#endif
