// SPDX-License-Identifier: MIT OR Apache-2.0
// What the kernels of BulkRemove and BulkInsert are built with and pushed.
#ifndef WEFT_BULK_H
#define WEFT_BULK_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(bulk)
WEFT_CONSTANT(2, uint, kItemBytes, 4)   // 1, 2, or any number of words
WEFT_CONSTANT(3, uint, kRows, 8)        // units of a tile per lane
WEFT_CONSTANT(4, uint, kIndexWords, 1)  // 1 or 2
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct BulkPush {
  weft_address items;
  weft_address inserted;  // BulkInsert: the items that come in
  weft_address indices;   // of what is removed, or positions of what is inserted
  weft_address outputs;
  weft_address total;        // 1 u64: items of the output
  weft_address splits;       // 1 u64 for each tile and one more: indices before it
  weft_address count;        // 0: use count_value, which otherwise is its maximum
  weft_address index_count;  // likewise
  weft_u64 count_value;
  weft_u64 index_count_value;
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 index_count_words;
};
WEFT_STRUCT_END

#endif
