// SPDX-License-Identifier: MIT OR Apache-2.0
// What tile.glsl is built with.
#ifndef WEFT_TILE_H
#define WEFT_TILE_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(tile)
WEFT_CONSTANT(3, uint, kRows, 8)  // vectors a lane has of a tile, at most 8; of TopK keys
WEFT_CONSTANTS_END

#endif
