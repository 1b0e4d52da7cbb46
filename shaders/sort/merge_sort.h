// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of merge_sort_blocks.comp, merge_sort_partition.comp and merge_sort_merge.comp.
#ifndef WEFT_MERGE_SORT_H
#define WEFT_MERGE_SORT_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(merge_sort)
WEFT_CONSTANT(4, uint, kMergeKeys, 8)  // of a tile for each lane
WEFT_CONSTANTS_END

// What goes with the keys from dispatch to dispatch is their values, or their indices.
WEFT_STRUCT_BEGIN
struct MergeSortPush {
  weft_address keys;
  weft_address keys_out;     // 0: not written
  weft_address carried;      // not looked at by the first dispatch if these are indices
  weft_address carried_out;  // 0: not written
  weft_address values;       // where indices are carried: the caller's, written by the last dispatch
  weft_address values_out;   // 0: not written
  weft_address splits;       // 1 u32 for each tile of a pass: keys of its earlier run before it
  weft_address count;        // 0: use maximum
  weft_u32 maximum;          // the count, or its maximum; below 2^32
  weft_u32 count_words;      // words at `count`: 1 or 2
  weft_u32 run;              // keys of a sorted run that two of are merged, but for the last
  weft_u32 pair_shift;       // the binary logarithm of how many tiles two runs have
};
WEFT_STRUCT_END

#endif
