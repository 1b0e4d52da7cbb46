// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of interval_move.comp, interval_move_bytes.comp, interval_move_lines.comp and its sums.
#ifndef WEFT_INTERVAL_MOVE_H
#define WEFT_INTERVAL_MOVE_H
#include "interval/interval.h"

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
