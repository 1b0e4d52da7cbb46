// SPDX-License-Identifier: MIT OR Apache-2.0
// What kernels with merge_tile_part.glsl are built with.
#ifndef WEFT_MERGE_TILE_PART_H
#define WEFT_MERGE_TILE_PART_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(merge_tile_part)
WEFT_CONSTANT(7, bool, kHasSides, false)    // of merge_pieces.glsl
WEFT_CONSTANT(12, bool, kFindsCuts, false)  // else they are found by a dispatch before
WEFT_CONSTANTS_END

#endif
