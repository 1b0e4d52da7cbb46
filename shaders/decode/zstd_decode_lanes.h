// SPDX-License-Identifier: MIT OR Apache-2.0
// The stages of ZstdDecode in which a lane works alone.
#ifndef WEFT_ZSTD_DECODE_LANES_H
#define WEFT_ZSTD_DECODE_LANES_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(zstd_decode_lanes)
WEFT_CONSTANT(3, uint, kStage, 0u)
WEFT_CONSTANTS_END

// What a stage has a lane for.
#define WEFT_ZSTD_CLEAR 0u      // counters
#define WEFT_ZSTD_BLOCKS 1u     // a frame: lists its blocks
#define WEFT_ZSTD_HEADERS 2u    // a block: reads what its tables are made from
#define WEFT_ZSTD_LITERALS 3u   // a stream of literals, of which a block has up to 4
#define WEFT_ZSTD_SEQUENCES 4u  // a block: reads its sequences
#define WEFT_ZSTD_CHECKSUM 5u   // a quarter of a frame's checksum

// Blocks of a workgroup, whose other lanes are idle: a lane that reads headers or sequences goes its own way at each of
// them, and is slowed down by its neighbours more than a multiprocessor is by further workgroups.
#define WEFT_ZSTD_BLOCKS_TOGETHER 4u

#endif
