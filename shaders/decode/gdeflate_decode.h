// SPDX-License-Identifier: MIT OR Apache-2.0
// Of GdeflateDecode and Decompress.
#ifndef WEFT_GDEFLATE_DECODE_H
#define WEFT_GDEFLATE_DECODE_H
#include "weft/interop.h"

// Scratch of a page, in bytes, a multiple of 16. In words: the number of records and a word that is not used, tables
// (gdeflate_codes.glsl), literals, and from the end on, records of two words. A page has the most if it has matches of
// 3 bytes alone: 21,845 records and one after them.
#define WEFT_GDEFLATE_SCRATCH 178944u

WEFT_CONSTANTS_BEGIN(gdeflate_decode)
WEFT_CONSTANT(2, bool, kReduceUniform, false)  // shaders/weft/lanes.glsl
WEFT_CONSTANTS_END

#endif
