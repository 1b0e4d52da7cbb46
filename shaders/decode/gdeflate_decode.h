// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants and push constants of gdeflate_decode.comp and gdeflate_copy.comp.
#ifndef WEFT_GDEFLATE_DECODE_H
#define WEFT_GDEFLATE_DECODE_H
#include "weft/interop.h"

// Scratch of a page, in bytes, a multiple of 16. In words: the number of records and a word that is not used, tables
// (gdeflate_codes.glsl), literals, and from the end on, records of two words. A page has the most if it has matches of
// 3 bytes alone: 21,845 records and one behind them.
#define WEFT_GDEFLATE_SCRATCH 178944u

WEFT_CONSTANTS_BEGIN(gdeflate_decode)
WEFT_CONSTANT(2, bool, kReduceUniform, false)  // shaders/weft/lanes.glsl
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct GdeflateDecodePush {
  weft_address pages;       // 6 words each: weft::GdeflatePage
  weft_address page_count;  // 0: use page_maximum
  weft_address source;
  weft_u64 source_bytes;
  weft_address outputs;
  weft_u64 output_bytes;
  weft_address status;        // 1 + pages u32
  weft_address scratch;       // WEFT_GDEFLATE_SCRATCH bytes for each slot
  weft_u32 page_maximum;      // the count, or its maximum
  weft_u32 page_count_words;  // words at `page_count`: 1 or 2
  weft_u32 first_page;        // of this dispatch
  weft_u32 slots;             // pages of this dispatch at most
};
WEFT_STRUCT_END

#endif
