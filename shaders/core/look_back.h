// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of look_back_reset.comp.
#ifndef WEFT_LOOK_BACK_H
#define WEFT_LOOK_BACK_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct LookBackResetPush {
  weft_address scratch;  // aligned to 16
  weft_u32 vectors;      // 16-byte vectors to clear
  weft_u32 padding;
};
WEFT_STRUCT_END

#endif
