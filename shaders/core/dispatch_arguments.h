// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of dispatch_arguments.comp.
#ifndef WEFT_DISPATCH_ARGUMENTS_H
#define WEFT_DISPATCH_ARGUMENTS_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct DispatchArgumentsPush {
  weft_address count;    // 0: use count_value
  weft_address command;  // 3 words
  weft_u64 count_value;  // the count, or its maximum
  weft_u64 groups;       // as in dispatch_arguments.glsl
  weft_u32 count_words;  // words at `count`: 1 or 2
  weft_u32 padding;
};
WEFT_STRUCT_END

#endif
