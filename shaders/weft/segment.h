// SPDX-License-Identifier: MIT OR Apache-2.0
// What segment.glsl is built with.
#ifndef WEFT_SEGMENT_H
#define WEFT_SEGMENT_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(segment)
WEFT_CONSTANT(8, bool, kCountsHeads, false)
WEFT_CONSTANTS_END

#endif
