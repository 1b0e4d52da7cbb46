// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of sorted_search_partition.comp and sorted_search_merge.comp.
#ifndef WEFT_SORTED_SEARCH_H
#define WEFT_SORTED_SEARCH_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(sorted_search)
WEFT_CONSTANT(4, uint, kMergeLaneKeys, 7)       // of a tile
WEFT_CONSTANT(5, bool, kMergeEqualFromA, true)  // lower bounds
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct SortedSearchPush {
  weft_address needles;
  weft_address haystack;
  weft_address outputs;         // 1 u32 for each needle
  weft_address splits;          // 1 u32 for each tile and one more: needles before it
  weft_address needle_count;    // 0: use needle_maximum
  weft_address haystack_count;  // 0: use haystack_maximum
  weft_u32 needle_maximum;      // the count, or its maximum; both together are below 2^32
  weft_u32 haystack_maximum;
  weft_u32 needle_count_words;  // words at `needle_count`: 1 or 2
  weft_u32 haystack_count_words;
};
WEFT_STRUCT_END

#endif
