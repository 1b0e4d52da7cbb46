// SPDX-License-Identifier: MIT OR Apache-2.0
// What interval_move.comp, interval_move_bytes.comp, interval_gather.comp, interval_move_lines.comp and its sums are
// built with and pushed.
#ifndef WEFT_INTERVAL_MOVE_H
#define WEFT_INTERVAL_MOVE_H
#include "interval/interval.h"

WEFT_CONSTANTS_BEGIN(interval_move)
WEFT_CONSTANT(10, uint, kOffsetWords, 1)  // of an offset among sources or destinations: 1 or 2
WEFT_CONSTANT(11, bool, kGathers, true)
WEFT_CONSTANT(12, bool, kScatters, true)
WEFT_CONSTANTS_END

// status: 2 u32: bits, and the index of the first interval that is out of range
WEFT_STRUCT_BEGIN
struct IntervalMovePush {
  WEFT_INTERVAL_MEMBERS
  weft_address source_items;
  weft_address destination_items;
  weft_address gather;   // `count` offsets among the sources; unused where these are packed
  weft_address scatter;  // likewise among the destinations
  weft_u64 sources;      // items there are
  weft_u64 destinations;
};
WEFT_STRUCT_END

#endif
