// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of run_length_decode.comp.
#ifndef WEFT_RUN_LENGTH_DECODE_H
#define WEFT_RUN_LENGTH_DECODE_H
#include "interval/interval.h"

WEFT_STRUCT_BEGIN
struct RunLengthDecodePush {
  WEFT_INTERVAL_MEMBERS
  weft_address symbols;  // count symbols
  weft_address outputs;  // max_output symbols
};
WEFT_STRUCT_END

#endif
