// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of segmented_scan_heads.comp.
#ifndef WEFT_SEGMENTED_SCAN_H
#define WEFT_SEGMENTED_SCAN_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(segmented_scan)
WEFT_CONSTANT(2, uint, kOffsetWords, 1)  // 1 or 2
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct SegmentedScanPush {
  weft_address offsets;       // count + 1 offsets
  weft_address heads;         // a bit for each item, all 0
  weft_address count;         // 0: use count_value
  weft_address item_count;    // likewise
  weft_u64 count_value;       // the number of segments, or its maximum
  weft_u64 item_count_value;  // likewise of items
  weft_u32 count_words;       // words at `count`: 1 or 2
  weft_u32 item_count_words;
};
WEFT_STRUCT_END

#endif
