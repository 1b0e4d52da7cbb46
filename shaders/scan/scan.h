// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of scan_look_back.comp and scan_downsweep.comp.
#ifndef WEFT_SCAN_H
#define WEFT_SCAN_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct ScanPush {
  weft_address items;    // count items
  weft_address outputs;  // count accumulators
  weft_address
      scratch;         // look_back: counters, tile states; downsweep: a partial per workgroup. 0: one tile, none needed
  weft_address count;  // 0: use count_value
  weft_u64 count_value;          // the count, or its maximum
  weft_u64 initial;              // bits of the accumulator before the first item
  weft_u32 count_words;          // words at `count`: 1 or 2
  weft_u32 head;                 // absent items before the first, so that tiles start on a vector boundary
  weft_u32 tiles_per_workgroup;  // downsweep: length of a workgroup's run of tiles
  weft_u32 tile_capacity;        // look_back: tiles the scratch has room for
};
WEFT_STRUCT_END

#endif
