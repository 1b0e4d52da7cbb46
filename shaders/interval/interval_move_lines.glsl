// SPDX-License-Identifier: MIT OR Apache-2.0
//
// IntervalMove from offsets to offsets, in lines of 16 bytes at the destination.
#ifndef WEFT_INTERVAL_MOVE_LINES_GLSL
#define WEFT_INTERVAL_MOVE_LINES_GLSL

#define WEFT_INTERVAL_PUSH IntervalMovePush
#define WEFT_INTERVAL_IN_LINES
#include "interval/interval_move.h"
#include "interval/interval_move_lines.h"
#include "interval/interval_tiles.glsl"
#include "interval/interval_move_offsets.glsl"

uvec4 interval_destinations(uvec2 tile_first, uint first, uint present) {
  const uvec4 offsets = offset_vector_load(tile_offsets(push.scatter, tile_first), first, present).low;
  return offsets * kLineItemBytes + push.destination_items.x;
}

#endif
