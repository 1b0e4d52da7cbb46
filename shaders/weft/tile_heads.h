// SPDX-License-Identifier: MIT OR Apache-2.0
// What tile_heads.glsl is built with.
#ifndef WEFT_TILE_HEADS_H
#define WEFT_TILE_HEADS_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(tile_heads)
WEFT_CONSTANT(7, uint, kSegmentsBy, 2)  // what segments begin with
WEFT_CONSTANTS_END

#endif
