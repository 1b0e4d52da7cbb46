// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of radix_sort_upsweep.comp, radix_sort_scan.comp and radix_sort_downsweep.comp.
#ifndef WEFT_RADIX_SORT_H
#define WEFT_RADIX_SORT_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct RadixSortPush {
  weft_address keys;  // what this pass reads
  weft_address values;
  weft_address keys_out;
  weft_address values_out;
  weft_address table;   // keys of each digit and workgroup: rows of digits, or of workgroups where there are no totals
  weft_address totals;  // keys of each digit; 0: the downsweep sums the table itself
  weft_address count;   // 0: use count_maximum
  weft_u32 count_maximum;
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 shift;        // of the digit in the ordered key
  weft_u32 digit_mask;   // below the number of bins
  weft_u32 flip_high;    // bits of the key's high word (or its only one) that make it ordered
  weft_u32 flip_low;
  weft_u32 flip_negative_high;  // more such bits of keys whose sign is set
  weft_u32 flip_negative_low;
  weft_u32 groups;     // workgroups of upsweep and downsweep
  weft_u32 table_row;  // words from digit to digit: groups rounded up to a multiple of 4
};
WEFT_STRUCT_END

#endif
