// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of the kernels with planted faults.
#ifndef WEFT_PLANTED_H
#define WEFT_PLANTED_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct PlantedPush {
  weft_address target;
  weft_u32 first;
  weft_u32 padding;
};
WEFT_STRUCT_END

#endif
