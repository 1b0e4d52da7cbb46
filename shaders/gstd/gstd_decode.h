// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of gstd_decode.comp.
#ifndef WEFT_GSTD_DECODE_H
#define WEFT_GSTD_DECODE_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct GstdDecodePush {
  weft_address tiles;       // 10 words each: weft::GstdTile
  weft_address tile_count;  // 0: use tile_maximum
  weft_address source;
  weft_u64 source_bytes;
  weft_address outputs;
  weft_u64 output_bytes;
  weft_address status;        // 1 + tiles u32
  weft_address scratch;       // two parts for each group in flight
  weft_u32 tile_maximum;      // the count, or its maximum
  weft_u32 tile_count_words;  // words at `tile_count`: 1 or 2
  weft_u32 most_bytes;        // of a tile
  weft_u32 groups;            // in flight
};
WEFT_STRUCT_END

#endif
