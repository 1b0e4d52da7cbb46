// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of gstd_decode.comp and gstd_finish.comp.
#ifndef WEFT_GSTD_DECODE_H
#define WEFT_GSTD_DECODE_H
#include "weft/interop.h"

// What a block of a tile of BYTES bytes may have: a byte for each literal, 8 for each sequence.
#define WEFT_GSTD_BLOCK_WORK(BYTES) ((BYTES) > 32768u ? 65536u : 32768u)
// A tile's second part of scratch has that and this, at least: bytes.
#define WEFT_GSTD_BESIDE_WORK 11264u

// DecodePush::form, with kLoops: what a pair of dispatches takes. Each tile has scratch of its own, or each group has
// and takes one tile after another: those that are requested whole, which need none between the dispatches. The others
// come after.
#define WEFT_GSTD_ALL 0u
#define WEFT_GSTD_WHOLE 1u
#define WEFT_GSTD_PARTS 2u
// In the second form scratch begins with a counter: bytes.
#define WEFT_GSTD_COUNTER 16u

WEFT_CONSTANTS_BEGIN(gstd_decode)
WEFT_CONSTANT(2, bool, kReduceUniform, false)  // shaders/weft/lanes.glsl
WEFT_CONSTANT(4, bool, kLoops, false)          // forms other than WEFT_GSTD_ALL
// Tiles of WEFT_GSTD_ALL that are decoded enter a queue, by which gstd_finish_queued takes them.
WEFT_CONSTANT(5, bool, kQueued, false)
WEFT_CONSTANTS_END

#endif
