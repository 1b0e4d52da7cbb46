// SPDX-License-Identifier: MIT OR Apache-2.0
// The stages of ZstdDecode in which a lane works alone.
#ifndef WEFT_ZSTD_DECODE_LANES_H
#define WEFT_ZSTD_DECODE_LANES_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(zstd_decode_lanes)
WEFT_CONSTANT(3, uint, kStage, 0u)
WEFT_CONSTANTS_END

// What a stage has a lane for.
#define WEFT_ZSTD_CLEAR 0u     // counters
#define WEFT_ZSTD_BLOCKS 1u    // a frame: lists its blocks
#define WEFT_ZSTD_HEADERS 2u   // a block: reads what its tables are made from
#define WEFT_ZSTD_LITERALS 3u  // a stream of literals, of which a block has up to 4
#define WEFT_ZSTD_WALK 4u      // a block: walks through its sequences
#define WEFT_ZSTD_CHECKSUM 5u  // a quarter of a frame's checksum

// Blocks of a workgroup, whose other lanes are idle: a lane that reads headers or walks through sequences waits for its
// own loads and goes its own way, and neighbours wait with it; but each instruction takes as long for one as for many.
#define WEFT_ZSTD_BLOCKS_TOGETHER 2u

#endif
