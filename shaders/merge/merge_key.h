// SPDX-License-Identifier: MIT OR Apache-2.0
// What kernels with built-in keys of merge_key.glsl are built with.
#ifndef WEFT_MERGE_KEY_H
#define WEFT_MERGE_KEY_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(merge_key)
WEFT_CONSTANT(5, bool, kDescending, false)
WEFT_CONSTANT(6, uint, kKeyBytes, 4)  // 1, 2, or 4 * kKeyWords
WEFT_CONSTANTS_END

#endif
