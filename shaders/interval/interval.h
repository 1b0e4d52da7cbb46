// SPDX-License-Identifier: MIT OR Apache-2.0
// What all kernels that spread intervals of outputs over workgroups (interval_tiles.glsl) are built with, and pushed
// before what is their own; all that interval_sums.comp and interval_totals.comp look at.
#ifndef WEFT_INTERVAL_H
#define WEFT_INTERVAL_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(interval)
WEFT_CONSTANT(2, uint, kItemBytes, 4)        // of outputs: 1, 2, 4, 8, 16, or any number of words
WEFT_CONSTANT(4, uint, kCountWords, 1)       // of a count or an offset: 1 or 2
WEFT_CONSTANT(5, uint, kIntervalVectors, 1)  // of 4 intervals a lane owns: 1 or 2
WEFT_CONSTANT(6, bool, kByOffsets, false)
WEFT_CONSTANT(7, bool, kIsDirect, false)         // interval_segment.glsl
WEFT_CONSTANT(8, bool, kReportsInterval, false)  // the status has the index of an interval besides
WEFT_CONSTANTS_END

// counts: `count` counts, or `count` + 1 offsets
// total, status: 1 u64, 1 u32
// before: 16 bytes each: of every span, of all, and of every tile of intervals, what lies before it
// count: 0: use count_value, which otherwise is its maximum
// max_output: outputs there is room for
// count_words: words at `count`: 1 or 2
// head: absent items before the first output, so that vectors lie on their boundaries
// span_shift: the tiles of intervals that one workgroup sums are 2 to the power of this
#define WEFT_INTERVAL_MEMBERS \
  weft_address counts;        \
  weft_address total;         \
  weft_address status;        \
  weft_address before;        \
  weft_address count;         \
  weft_u64 count_value;       \
  weft_u64 max_output;        \
  weft_u32 count_words;       \
  weft_u32 span_shift;        \
  weft_u32 spans;             \
  weft_u32 head;

#ifdef __cplusplus
namespace weft::shader {
#endif
const weft_u32 kMaxDirectTiles = 32;  // that every workgroup sums for itself
#ifdef __cplusplus
}
#endif

WEFT_STRUCT_BEGIN
struct IntervalPush {
  WEFT_INTERVAL_MEMBERS
};
WEFT_STRUCT_END

#endif
