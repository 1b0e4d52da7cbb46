// SPDX-License-Identifier: MIT OR Apache-2.0
// What kernels with keys of ordered_key.glsl are built with.
#ifndef WEFT_ORDERED_KEY_H
#define WEFT_ORDERED_KEY_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(ordered_key)
WEFT_CONSTANT(2, uint, kKeyWords, 1)  // 1 or 2
WEFT_CONSTANT(3, uint, kKeyOrder, 0)  // kKeyUnsigned, kKeySigned or kKeyFloat
WEFT_CONSTANTS_END

#endif
