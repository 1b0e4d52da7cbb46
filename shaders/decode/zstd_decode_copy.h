// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of zstd_decode_copy.comp alone, of which there are two pipelines.
#ifndef WEFT_ZSTD_DECODE_COPY_H
#define WEFT_ZSTD_DECODE_COPY_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(zstd_decode_copy)
WEFT_CONSTANT(4, bool, kDictionary, false)  // whether there is one
WEFT_CONSTANTS_END

#endif
