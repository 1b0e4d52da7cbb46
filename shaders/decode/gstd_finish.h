// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of gstd_finish.comp beside that of gstd_decode.h.
#ifndef WEFT_GSTD_FINISH_H
#define WEFT_GSTD_FINISH_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(gstd_finish)
WEFT_CONSTANT(3, bool, kVerify, true)  // checksums are compared
WEFT_CONSTANTS_END

#endif
