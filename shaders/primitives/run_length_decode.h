// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of run_length_decode_sums.comp, run_length_decode_offsets.comp and run_length_decode_expand.comp.
#ifndef WEFT_RUN_LENGTH_DECODE_H
#define WEFT_RUN_LENGTH_DECODE_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct RunLengthDecodePush {
  weft_address symbols;  // count symbols
  weft_address lengths;  // count lengths
  weft_address outputs;  // max_output symbols
  weft_address total;    // 1 u64
  weft_address status;   // 1 u32
  weft_address before;   // 16 bytes each: of every span, of all, and of every tile of runs, what lies before it
  weft_address count;    // 0: use count_value
  weft_u64 count_value;  // the count, or its maximum
  weft_u64 max_output;
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 head;         // absent symbols in front of the first output, so that vectors lie on their boundaries
  weft_u32 span_shift;   // the tiles of runs that one workgroup sums are 2 to the power of this
  weft_u32 spans;
};
WEFT_STRUCT_END

#endif
