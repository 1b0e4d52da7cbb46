// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of binary_search.comp.
#ifndef WEFT_BINARY_SEARCH_H
#define WEFT_BINARY_SEARCH_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(binary_search)
WEFT_CONSTANT(4, bool, kLower, true)
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct BinarySearchPush {
  weft_address needles;
  weft_address haystack;
  weft_address outputs;         // 1 u32 for each needle
  weft_address needle_count;    // 0: use needle_maximum
  weft_address haystack_count;  // 0: use haystack_maximum
  weft_u32 needle_maximum;      // the count, or its maximum
  weft_u32 haystack_maximum;
  weft_u32 needle_count_words;  // words at `needle_count`: 1 or 2
  weft_u32 haystack_count_words;
};
WEFT_STRUCT_END

#endif
