// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants and push constants of gstd_decode.comp and gstd_finish.comp.
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

WEFT_STRUCT_BEGIN
struct GstdDecodePush {
  weft_address tiles;       // 10 words each: weft::GstdTile
  weft_address tile_count;  // 0: use tile_maximum
  weft_address source;
  weft_u64 source_bytes;
  weft_address outputs;
  weft_u64 output_bytes;
  weft_address status;        // 1 + tiles u32
  weft_address scratch;       // two parts for each slot (tile_table.glsl)
  weft_u32 tile_maximum;      // the count, or its maximum
  weft_u32 tile_count_words;  // words at `tile_count`: 1 or 2
  weft_u32 max_bytes;         // of a tile
  weft_u32 first_tile;        // of this dispatch
  weft_u32 slots;             // tiles of this dispatch at most
  weft_u32 reserved;
};
WEFT_STRUCT_END

#endif
