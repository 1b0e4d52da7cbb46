// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of gstd_finish.comp beside that of gstd_decode.h.
#ifndef WEFT_GSTD_FINISH_H
#define WEFT_GSTD_FINISH_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(gstd_finish)
WEFT_CONSTANT(3, bool, kVerify, true)  // checksums are compared
WEFT_CONSTANT(4, bool, kLeft, false)   // all that is left of WEFT_GSTD_WHOLE is taken, by workgroups with a region each
WEFT_CONSTANT(5, uint, kLooks, 1)      // at a tile that may not be decoded yet
WEFT_CONSTANTS_END

#endif
