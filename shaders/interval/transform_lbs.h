// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of transform_lbs.comp.
#ifndef WEFT_TRANSFORM_LBS_H
#define WEFT_TRANSFORM_LBS_H
#include "interval/interval.h"

WEFT_STRUCT_BEGIN
struct TransformLbsPush {
  WEFT_INTERVAL_MEMBERS
  weft_address buffer_0;  // the caller's own, for the body; 0: none
  weft_address buffer_1;
  weft_address buffer_2;
  weft_address buffer_3;
  weft_u64 a;
  weft_u64 b;
};
WEFT_STRUCT_END

#endif
