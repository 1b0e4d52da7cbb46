// SPDX-License-Identifier: MIT OR Apache-2.0
// What operator.glsl is built with.
#ifndef WEFT_OPERATOR_H
#define WEFT_OPERATOR_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(combine)
WEFT_CONSTANT(2, uint, kOp, 0)  // a value of weft::Op
WEFT_CONSTANTS_END

#endif
