// SPDX-License-Identifier: MIT OR Apache-2.0
// What merge_tiles.comp is built with.
#ifndef WEFT_MERGE_TILES_H
#define WEFT_MERGE_TILES_H
#include "merge/merge_outputs.h"

WEFT_CONSTANTS_BEGIN(merge_tiles)
WEFT_CONSTANT(7, bool, kHasSides, false)    // values or indices are written
WEFT_CONSTANT(12, bool, kFindsCuts, false)  // else they are found by a dispatch before
WEFT_CONSTANTS_END

#endif
