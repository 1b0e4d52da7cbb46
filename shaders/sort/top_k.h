// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of TopK's kernels.
#ifndef WEFT_TOP_K_H
#define WEFT_TOP_K_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(top_k)
WEFT_CONSTANT(7, uint, kKeyWords, 1)    // 1 or 2
WEFT_CONSTANT(8, bool, kFlips, true)    // false: keys are in order as they are
WEFT_CONSTANT(9, uint, kValueWords, 0)  // 0: keys alone
WEFT_CONSTANT(10, uint, kDigitBits, 8)  // of a pass at most
WEFT_CONSTANT(11, uint, kCopies, 8)     // of each counter, a power of two
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
// The search for the k-th key before a pass. Scratch begins with one for each pass, and one for the result.
struct TopKState {
  weft_u64 digits;         // its highest digits, at their position in the ordered key; other bits are 0
  weft_u32 before;         // keys before all those with these digits
  weft_u32 wanted;         // rank of the k-th key among those with these digits, from 1
  weft_u32 candidates;     // keys with these digits
  weft_u32 gathered;       // keys that an earlier pass gathered, these among them; 0: none has
  weft_u32 gathered_here;  // keys that this pass has gathered so far
  weft_u32 padding;
};
WEFT_STRUCT_END

WEFT_STRUCT_BEGIN
// Of the count.
struct TopKCountPush {
  weft_address keys;
  weft_address count;       // 0: use count_maximum
  weft_address state;       // TopKState of this pass; before it those of the passes before
  weft_address bins;        // counters of this pass's digit; before them those of the pass before
  weft_address candidates;  // where a pass gathers keys
  weft_u32 capacity;        // keys there
  weft_u32 count_maximum;
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 k;
  weft_u32 first_pass;  // 1: the state is not known from a pass before
  weft_u32 last_shift;  // of the digit of the pass before
  weft_u32 shift;       // of the digit in the ordered key
  weft_u32 digit_mask;  // below the number of bins; 0: no digit is left
  weft_u32 flip_high;   // as in radix_sort.h
  weft_u32 flip_low;
  weft_u32 flip_negative_high;
  weft_u32 flip_negative_low;
};
WEFT_STRUCT_END

WEFT_STRUCT_BEGIN
// Of the prefix pass that moves keys.
struct TopKPush {
  weft_address keys;
  weft_address values;  // 0: the values are positions
  weft_address keys_out;
  weft_address values_out;
  weft_address scratch;
  weft_address count;  // 0: use count_maximum
  weft_address state;  // the TopKState after all passes
  weft_u32 count_maximum;
  weft_u32 count_words;
  weft_u32 k;
  weft_u32 flip_high;
  weft_u32 flip_low;
  weft_u32 flip_negative_high;
  weft_u32 flip_negative_low;
  weft_u32 tiles_per_workgroup;  // as in scan.h
  weft_u32 tile_capacity;
  weft_u32 padding;
};
WEFT_STRUCT_END

#endif
