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
  weft_address
      prefixes;        // a u64 per span: its total, then what lies before it; behind them a u64 per tile of runs: what
                       // lies before it in its span
  weft_address count;  // 0: use count_value
  weft_u64 count_value;  // the count, or its maximum
  weft_u64 max_output;
  weft_u32 count_words;     // words at `count`: 1 or 2
  weft_u32 head;            // absent symbols in front of the first output, so that tiles start on a vector boundary
  weft_u32 tiles_per_span;  // tiles of runs that one workgroup sums
  weft_u32 spans;
};
WEFT_STRUCT_END

#endif
