// SPDX-License-Identifier: MIT OR Apache-2.0
// What select_upsweep.comp, select_downsweep.comp and select_look_back.comp are built with and pushed.
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(select)
WEFT_CONSTANT(7, uint, kTest, 0)         // kTest…
WEFT_CONSTANT(8, uint, kOrder, 0)        // kOrder…, of items as keys
WEFT_CONSTANT(9, uint, kMove, 1)         // bits kMove…
WEFT_CONSTANT(10, uint, kMovedBytes, 4)  // gathered: 1, 2 or a multiple of 4
WEFT_CONSTANT(11, uint, kIndexWords, 0)  // of an index, a length or an offset; 0: none are written
WEFT_CONSTANT(12, bool, kTwoPartitions, false)
WEFT_CONSTANT(13, uint, kStride, 4)       // struct: bytes, a multiple of 4
WEFT_CONSTANT(14, uint, kMember, 0)       // struct: where the member begins
WEFT_CONSTANT(15, uint, kMemberBytes, 4)  // struct: 1, 2, 4 or 8; run heads: or any multiple of 4
#if defined(__cplusplus) || defined(WEFT_ROWS_AHEAD)
WEFT_CONSTANT(18, bool, kRowsAhead, false)  // items of one or two words: lanes count rows before the tile waits
#endif
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct SelectPush {
  weft_address items;  // what is tested
  weft_address count;  // 0: use count_value
  weft_u64 count_value;
  weft_address scratch;  // the carry between chunks (32 bytes), then tile states or partials
  weft_address moved;    // what is moved, where that is not what is tested
  weft_address out_0;    // items of each partition
  weft_address out_1;
  weft_address out_2;      // of one partition: `groups` of core/dispatch_arguments.glsl
  weft_address indices_0;  // indices of each partition
  weft_address indices_1;
  weft_address indices_2;        // of one partition: the arguments of an indirect dispatch for its count; 0: none
  weft_address counts;           // one count for each partition
  weft_u64 low;                  // of the test: a lower bound, a mask, or the first threshold
  weft_u64 span;                 // of the test: a width, the bits wanted, or the second threshold
  weft_u32 flags;                // kSelect…, the head from bit 8 on
  weft_u32 first_tile;           // the chunk's
  weft_u32 chunk_tiles;          // how many the chunk has at most
  weft_u32 tiles_per_workgroup;  // upsweep, downsweep
};
WEFT_STRUCT_END

#ifdef __cplusplus
namespace weft::shader {
#endif
const weft_u32 kSelectCountIsWide = 1;    // the count on the device is a u64
const weft_u32 kSelectCountsAreWide = 2;  // counts are written as u64
const weft_u32 kSelectInverted = 4;       // items that fail the test are kept
const weft_u32 kSelectOddChunk = 8;       // the carry comes from the second slot and goes to the first
const weft_u32 kTestRange = 0, kTestBits = 1, kTestRunHead = 2;
const weft_u32 kOrderUnsigned = 0, kOrderSigned = 1, kOrderFloat = 2;
const weft_u32 kMoveTested = 1, kMoveGathered = 2;
// Of RunLengthEncode, beside kMoveTested for symbols; the last: of runs, those of two or more items.
const weft_u32 kMoveLengths = 4, kMoveOffsets = 8, kMoveNonTrivial = 16;
#ifdef __cplusplus
}
#endif

#endif
