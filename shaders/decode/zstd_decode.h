// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants and push constants of the kernels of ZstdDecode, and how its scratch is laid out, in this order: counters,
// frames, blocks, tables of blocks, records, literals.
#ifndef WEFT_ZSTD_DECODE_H
#define WEFT_ZSTD_DECODE_H
#include "decode/decode_table.h"

// In words.
#define WEFT_ZSTD_COUNTER_WORDS 16u
#define WEFT_ZSTD_FRAME_WORDS 8u
#define WEFT_ZSTD_BLOCK_WORDS 32u
// Of a block's tables: that of literals, three of sequences, and what they are made from (zstd_frames.glsl).
#define WEFT_ZSTD_TABLE_WORDS 3456u
// Units of 64 records of two words, and of 256 literals. A word follows the last literal.
#define WEFT_ZSTD_RECORD_UNIT 128u
#define WEFT_ZSTD_LITERAL_UNIT 64u

// Bytes of a block, as it is stored and of its content, at most.
#define WEFT_ZSTD_MAX_BLOCK 131072u

WEFT_CONSTANTS_BEGIN(zstd_decode)
WEFT_CONSTANT(2, bool, kReduceUniform, false)  // shaders/weft/lanes.glsl
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct ZstdPush {
  WEFT_DECODE_RANGES;
  weft_address sizes;       // 0, or of each frame's content, u32
  weft_address dictionary;  // 0: there is none
  weft_u32 maximum;         // the count, or its maximum
  weft_u32 count_words;     // words at `count`: 1 or 2
  weft_u32 first, slots;    // 0, and the same as `maximum`
  // Room in scratch: of records and literals in units.
  weft_u32 blocks;
  weft_u32 records;
  weft_u32 literals;
  weft_u32 verify;  // whether checksums are compared
  weft_u32 dictionary_bytes;
  weft_u32 reserved;
};
WEFT_STRUCT_END

#endif
