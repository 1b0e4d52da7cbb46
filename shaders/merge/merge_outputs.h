// SPDX-License-Identifier: MIT OR Apache-2.0
// What merge_tiles.comp and merge_stream.comp write.
#ifndef WEFT_MERGE_OUTPUTS_H
#define WEFT_MERGE_OUTPUTS_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(merge_outputs)
WEFT_CONSTANT(8, bool, kWritesKeys, true)
WEFT_CONSTANT(9, bool, kWritesIndices, false)
WEFT_CONSTANT(10, uint, kValueBytes, 0)  // 1, 2, a multiple of 4, or 0: no values
WEFT_CONSTANTS_END

#endif
