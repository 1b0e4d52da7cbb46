// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of select_upsweep.comp, select_downsweep.comp and select_look_back.comp.
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct SelectPush {
  weft_address items;  // what is tested
  weft_address count;  // 0: use count_value
  weft_u64 count_value;
  weft_address scratch;  // the carry between chunks (32 bytes), then posts or partials
  weft_address moved;    // what is moved, where that is not what is tested
  weft_address out_0;    // items of each side
  weft_address out_1;
  weft_address out_2;
  weft_address indices_0;  // indices of each side
  weft_address indices_1;
  weft_address indices_2;
  weft_address counts;    // one count for each side
  weft_u64 low;           // of the test: a lower bound, a mask, or the first threshold
  weft_u64 span;          // of the test: a width, the bits wanted, or the second threshold
  weft_u32 flags;         // kSelect…, the head from bit 8 on
  weft_u32 first_tile;    // the chunk's
  weft_u32 chunk_tiles;   // how many the chunk has at most
  weft_u32 tiles_or_lag;  // upsweep, downsweep: tiles a workgroup takes; look_back: the lag
};
WEFT_STRUCT_END

#ifdef __cplusplus
namespace weft::shader {
#endif
const weft_u32 kSelectCountIsWide = 1;    // the count on the device is a u64
const weft_u32 kSelectCountsAreWide = 2;  // counts are written as u64
const weft_u32 kSelectInverted = 4;       // items that fail the test are kept
const weft_u32 kSelectOddChunk = 8;       // the carry comes from the second slot and goes to the first
#ifdef __cplusplus
}
#endif

#endif
