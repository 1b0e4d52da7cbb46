// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of reduce.comp.
#ifndef WEFT_REDUCE_PASS_H
#define WEFT_REDUCE_PASS_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(reduce_pass)
WEFT_CONSTANT(10, bool, kFinish, false)  // the second pass
WEFT_CONSTANTS_END

#endif
