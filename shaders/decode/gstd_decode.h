// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of gstd_decode.comp and gstd_finish.comp.
#ifndef WEFT_GSTD_DECODE_H
#define WEFT_GSTD_DECODE_H
#include "weft/interop.h"

// What a block of a tile of BYTES bytes may have: a byte for each literal, 8 for each sequence.
#define WEFT_GSTD_BLOCK_WORK(BYTES) ((BYTES) > 32768u ? 65536u : 32768u)
// A tile's second part of scratch has that and this, at least: bytes.
#define WEFT_GSTD_BESIDE_WORK 11264u

WEFT_CONSTANTS_BEGIN(gstd_decode)
WEFT_CONSTANT(2, bool, kReduceUniform, false)  // shaders/weft/lanes.glsl
WEFT_CONSTANTS_END

#endif
