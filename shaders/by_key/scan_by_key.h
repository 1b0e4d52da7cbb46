// SPDX-License-Identifier: MIT OR Apache-2.0
// What scan_by_key_*.comp are built with and pushed; the upsweep is reduce_by_key's too.
#ifndef WEFT_SCAN_BY_KEY_H
#define WEFT_SCAN_BY_KEY_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(scan_by_key)
WEFT_CONSTANT(4, bool, kInclusive, false)
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct ScanByKeyPush {
  weft_address keys;     // count keys, or the flags of as many items
  weft_address items;    // count items
  weft_address outputs;  // count accumulators
  weft_address scratch;  // look_back: counters, states; else one partial per workgroup. 0: one tile, none needed
  weft_address count;    // 0: use count_value
  weft_u64 count_value;  // the count, or its maximum
  weft_u64 initial;      // bits of the accumulator before each segment's first item
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 head;         // absent items before the first, so that tiles start on a vector boundary
  weft_u32 tiles_per_workgroup;  // upsweep, downsweep: length of a workgroup's run of tiles
  weft_u32 tile_capacity;        // look_back: tiles the scratch has room for
};
WEFT_STRUCT_END

#endif
