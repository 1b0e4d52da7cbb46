// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of merge_partition.comp and merge_tiles.comp.
#ifndef WEFT_MERGE_H
#define WEFT_MERGE_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(merge)
WEFT_CONSTANT(4, uint, kMergeKeys, 8)  // of a tile for each lane
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct MergePush {
  weft_address keys_a;
  weft_address keys_b;
  weft_address keys_out;
  weft_address values_a;
  weft_address values_b;
  weft_address values_out;
  weft_address indices_out;
  weft_address splits;   // 1 u32 for each tile and one more: keys of A before it
  weft_address count_a;  // 0: use maximum_a
  weft_address count_b;  // 0: use maximum_b
  weft_u32 maximum_a;    // the count, or its maximum; both together are below 2^32
  weft_u32 maximum_b;
  weft_u32 count_a_words;  // words at `count_a`: 1 or 2
  weft_u32 count_b_words;
};
WEFT_STRUCT_END

#endif
