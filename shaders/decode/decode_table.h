// SPDX-License-Identifier: MIT OR Apache-2.0
// Push constants of the decoders: a table whose entries, tiles, pages or frames, are decoded from one range to another.
#ifndef WEFT_DECODE_TABLE_H
#define WEFT_DECODE_TABLE_H
#include "weft/interop.h"

// What those of every decoder begin with. `entries`: weft::GstdTile, GdeflatePage or ZstdFrame. `count`: 0: use
// maximum. `status`: 1 + entries u32.
#define WEFT_DECODE_RANGES \
  weft_address entries;    \
  weft_address count;      \
  weft_address source;     \
  weft_u64 source_bytes;   \
  weft_address outputs;    \
  weft_u64 output_bytes;   \
  weft_address status;     \
  weft_address scratch

WEFT_STRUCT_BEGIN
struct DecodePush {
  WEFT_DECODE_RANGES;    // scratch: of each slot
  weft_u32 maximum;      // the count, or its maximum
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 max_bytes;    // of a tile; pages have a constant
  weft_u32 first;        // entry of this dispatch
  weft_u32 slots;        // entries of this dispatch at most
  weft_u32 form;         // of GstdDecode: decode/gstd_decode.h
  weft_u32 groups;       // of GstdDecode: workgroups that take one entry after another
  weft_u32 regions;      // of GstdDecode: of scratch, of which the groups have the first
  weft_u32 region_bytes;
  weft_u32 parts;  // of GstdDecode: 0: tiles that are requested in part are refused
};
WEFT_STRUCT_END

#endif
