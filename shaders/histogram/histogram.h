// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of histogram.comp and histogram_clear.comp.
#ifndef WEFT_HISTOGRAM_H
#define WEFT_HISTOGRAM_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct HistogramPush {
  weft_address items;    // count items
  weft_address outputs;  // bins counters of 32 bits
  weft_address levels;   // by levels: bins + 1
  weft_address count;    // 0: use count_value
  weft_u64 count_value;  // the count, or its maximum
  weft_u64 reciprocal;   // even bins: ⌈(bins mod width) · 2^64 / width⌉
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 head;         // absent items before the first, so that tiles start on a vector boundary
  weft_u32 tiles_per_workgroup;
  weft_u32 bins;
  weft_u32 first_key;  // even bins: the lower bound as a key
  weft_u32 last;       // even bins: what the last key inside lies above it
  weft_u32 multiple;   // even bins: ⌊bins / width⌋
  weft_u32 shift;      // even bins: log2 of a bin's width; 32: not a power of two, or too large
  weft_u32 lower;      // even bins of floats: the lower bound, and bins over the width
  weft_u32 scale;
};
WEFT_STRUCT_END

#endif
