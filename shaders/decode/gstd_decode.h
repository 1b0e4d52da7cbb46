// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of gstd_decode.comp and gstd_finish.comp.
#ifndef WEFT_GSTD_DECODE_H
#define WEFT_GSTD_DECODE_H
#include "weft/interop.h"

// What a block may have, of 8 for each sequence, and a byte for each literal that does not lie in its output.
#define WEFT_GSTD_BLOCK_WORK 28672u
// A group's scratch has that and this: bytes.
#define WEFT_GSTD_BESIDE_WORK 11776u
// Bytes between tiles' scratch where their tables would otherwise share sets of a cache: parts are 2^N and 1,024.
#define WEFT_GSTD_APART 10240u

// DecodePush::form: what dispatches take. Tiles have scratch of their own, or those that are requested whole are
// decoded to the output, with scratch in regions: each workgroup of the first dispatch has one, those of the second
// take what is free. The others come after.
#define WEFT_GSTD_ALL 0u
#define WEFT_GSTD_WHOLE 1u
#define WEFT_GSTD_PARTS 2u
#define WEFT_GSTD_CLEAR 3u
// Words after the regions: workgroups' turns that are taken, tiles that are decoded and left to be finished, and from
// WEFT_GSTD_FREE on a bit for each region.
#define WEFT_GSTD_TAKEN 0u
#define WEFT_GSTD_LEFT 1u
#define WEFT_GSTD_FREE 4u

WEFT_CONSTANTS_BEGIN(gstd_decode)
WEFT_CONSTANT(2, bool, kReduceUniform, false)  // shaders/weft/lanes.glsl
WEFT_CONSTANTS_END

#endif
