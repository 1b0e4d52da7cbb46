// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of decompress.comp.
#ifndef WEFT_DECOMPRESS_H
#define WEFT_DECOMPRESS_H
#include "weft/interop.h"

// Bytes of scratch before the regions. The first word is their number.
#define WEFT_DECOMPRESS_HEADER 16u

WEFT_CONSTANTS_BEGIN(decompress)
WEFT_CONSTANT(3, uint, kRegionWords, 8)  // 10: a region with its method, as VK_NV_memory_decompression has it
WEFT_CONSTANTS_END

#endif
