// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of RadixSort's kernels.
#ifndef WEFT_RADIX_SORT_H
#define WEFT_RADIX_SORT_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
// Of radix_sort_upsweep.comp, radix_sort_scan.comp, radix_sort_downsweep.comp and radix_sort_totals.comp.
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

WEFT_STRUCT_BEGIN
// Of radix_sort_sweep.comp; members without a comment are as above.
struct RadixSortSweepPush {
  weft_address keys;
  weft_address values;
  weft_address keys_out;
  weft_address values_out;
  weft_address states;       // a word for each tile and digit, rows of digits; 0 before the pass
  weft_address next_states;  // of the next pass, to be cleared; 0: there is none
  weft_address totals;       // keys of each digit
  weft_address ticket;       // the tiles taken so far
  weft_address count;
  weft_u32 count_maximum;  // below 2^30
  weft_u32 count_words;
  weft_u32 shift;
  weft_u32 digit_mask;
  weft_u32 flip_high;
  weft_u32 flip_low;
  weft_u32 flip_negative_high;
  weft_u32 flip_negative_low;
};
WEFT_STRUCT_END

#endif
