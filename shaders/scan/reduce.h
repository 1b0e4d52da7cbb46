// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of reduce.comp.
#ifndef WEFT_REDUCE_H
#define WEFT_REDUCE_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct ReducePush {
  weft_address items;     // reduce: count items
  weft_address result;    // 1 accumulator, or 1 ArgResult
  weft_address partials;  // one accumulator per workgroup of the first pass
  weft_address count;     // 0: use count_value
  weft_u64 count_value;   // the count, or its maximum
  weft_u64 initial;       // bits of the accumulator before the first item
  weft_u32 count_words;   // words at `count`: 1 or 2
  weft_u32 head;          // absent items before the first, so that tiles start on a vector boundary
  weft_u32 tiles_per_workgroup;
  weft_u32 partial_count;  // workgroups of the first pass; it writes the output itself where it has one
};
WEFT_STRUCT_END

#endif
