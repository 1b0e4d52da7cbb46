// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of reduce_by_key_*.comp. The upsweep is scan_by_key's.
#ifndef WEFT_REDUCE_BY_KEY_H
#define WEFT_REDUCE_BY_KEY_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct ReduceByKeyPush {
  weft_address keys;         // count keys
  weft_address items;        // count items
  weft_address keys_out;     // a key per run, in room for count
  weft_address values_out;   // an accumulator per run, likewise
  weft_address count_out;    // how many runs
  weft_address scratch;      // look_back: counters, states; else one partial per workgroup. 0: one tile, none needed
  weft_address count;        // 0: use count_value
  weft_u64 count_value;      // the count, or its maximum
  weft_u32 count_words;      // words at `count`: 1 or 2
  weft_u32 count_out_words;  // likewise
  weft_u32 head;             // absent items before the first, so that tiles start on a vector boundary
  weft_u32 tiles_per_workgroup;  // downsweep: length of a workgroup's run of tiles
  weft_u32 tile_capacity;        // look_back: tiles the scratch has room for
  weft_u32 padding;
};
WEFT_STRUCT_END

#endif
