// SPDX-License-Identifier: MIT OR Apache-2.0
// What tile_scan.glsl is built with.
#ifndef WEFT_TILE_SCAN_H
#define WEFT_TILE_SCAN_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(tile_scan)
WEFT_CONSTANT(4, bool, kInclusive, false)
WEFT_CONSTANTS_END

#endif
