// SPDX-License-Identifier: MIT OR Apache-2.0
// What segmented_reduce.comp, segmented_reduce_cuts.comp and segmented_reduce_direct.comp are built with and pushed.
#ifndef WEFT_SEGMENTED_REDUCE_H
#define WEFT_SEGMENTED_REDUCE_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(segmented_reduce)
WEFT_CONSTANT(4, uint, kOffsetWords, 1)   // 1 or 2
WEFT_CONSTANT(5, uint, kTileUnits, 1020)  // a multiple of kSegmentUnits
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct SegmentedReducePush {
  weft_address items;    // item_count items
  weft_address offsets;  // count + 1 offsets
  weft_address outputs;  // count accumulators
  // 16 bytes for each tile but the first: how many segments and items are before it. Direct: for each slice.
  weft_address cuts;
  // Two segments for each workgroup: what it carries out, and its part of the first that ends. Direct: two for each
  // slice.
  weft_address carries;
  weft_address count;         // 0: use count_value
  weft_address item_count;    // likewise
  weft_u64 count_value;       // the number of segments, or its maximum
  weft_u64 item_count_value;  // likewise of items
  weft_u32 count_words;       // words at `count`: 1 or 2
  weft_u32 item_count_words;
  weft_u32 tiles_per_workgroup;  // length of a workgroup's run of tiles; direct: of slices that it joins
  weft_u32 groups;               // workgroups of segmented_reduce.comp; direct: slices
};
WEFT_STRUCT_END

#endif
