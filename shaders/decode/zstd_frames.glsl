// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The table of frames of ZstdDecode, and what lies in its scratch.
#ifndef WEFT_ZSTD_FRAMES_GLSL
#define WEFT_ZSTD_FRAMES_GLSL

#include "decode/zstd_decode.h"
#define WEFT_DECODE_PUSH ZstdPush
#include "decode/decode_table.glsl"

// Verdicts: weft::ZstdRefusal. The greatest of a block's is reported: a libzstd may decode what is inexact alone.
const uint kZstdInexact = 1u, kZstdTruncated = 2u, kZstdBadHeader = 3u, kZstdBadTable = 4u, kZstdBadLiterals = 5u,
           kZstdBadSequences = 6u, kZstdBadOffset = 7u, kZstdBadSize = 8u, kZstdChecksum = 9u, kZstdDictionary = 10u,
           kZstdTooManyBlocks = 11u, kZstdTooManyLiterals = 12u, kZstdTooManySequences = 13u, kZstdBadEntry = 14u,
           kZstdUnfinished = 15u;

// Positions in a frame's content, and 4 bytes after it, have to stay below lz_copy.glsl's flag.
const uint kZstdMaxContent = 0x7fff0000u;

struct FrameEntry {
  uvec2 source, target;  // addresses
  uint bytes, capacity;
  bool valid;
};

FrameEntry load_frame_entry(uint index) {
  Words entry = Words(word64_add(push.entries, word64_multiply(index, 24u)));
  const uvec2 source = uvec2(entry.at[0], entry.at[1]);
  const uvec2 target = uvec2(entry.at[2], entry.at[3]);
  FrameEntry frame;
  frame.bytes = entry.at[4];
  frame.capacity = entry.at[5];
  frame.valid = lies_within(source, uvec2(frame.bytes, 0u), push.source_bytes) &&
                lies_within(target, uvec2(frame.capacity, 0u), push.output_bytes);
  frame.capacity = min(frame.capacity, kZstdMaxContent - push.dictionary_bytes);
  frame.source = word64_add(push.source, source);
  frame.target = word64_add(push.outputs, target);
  return frame;
}

// ---- scratch ----

// Counters.
const uint kZstdBlocksUsed = 0u, kZstdRecordsUsed = 1u, kZstdLiteralsUsed = 2u;

// Of a frame. A block that does not exist is kZstdNone.
const uint kZstdNone = ~0u;
const uint kFrameFirstBlock = 0u, kFrameHasSize = 1u, kFrameSize = 2u, kFrameHasChecksum = 3u, kFrameChecksum = 4u,
           kFrameContent = 5u,  // bytes, as they were found
    kFrameWalked = 6u;          // 1 if all its blocks are listed, 2 if its checksum is left

// Of a block. A fault of its headers is in the low 8 bits of kBlockFault, the greatest of its streams' above these.
const uint kBlockNext = 0u, kBlockFault = 1u, kBlockFrame = 2u, kBlockSource = 3u, kBlockSourceHigh = 4u,
           kBlockBytes = 5u;
// Of its literals: their kind, how many streams, where they begin and end in the block's bytes, and their number. Where
// words of them begin, whose second has the first literal, in the two lowest bits the byte of it, and the number of the
// last word that may be read.
const uint kBlockLiteralKind = 6u, kBlockStreams = 7u, kBlockLiteralsAt = 8u, kBlockLiteralsEnd = 9u,
           kBlockLiterals = 10u, kBlockLiteralBase = 11u, kBlockLiteralBaseHigh = 12u, kBlockLiteralLast = 13u,
           kBlockHuffman = 14u, kBlockDone = 15u;  // the last: how many streams are decoded
// Of its sequences: where they go on after the modes, and as they were read.
const uint kBlockSequencesAt = 16u, kBlockSequences = 17u, kBlockModes = 18u, kBlockRecords = 19u,
           kBlockTables = 20u;  // of literal lengths, offsets and match lengths, whose blocks they are
// Bytes of its content, at most and as it was found, and the last three offsets after it.
const uint kBlockLimit = 23u, kBlockSize = 24u, kBlockOffsets = 25u;
// Logarithms of the sizes of its own tables: literals, literal lengths, offsets, match lengths.
const uint kBlockLogs = 28u;

const uint kZstdRaw = 0u, kZstdRle = 1u, kZstdCompressed = 2u, kZstdRepeated = 3u;

// Of a block's tables, in words. That of literals has two entries a word: symbols, and in the low 4 bits the length of
// the code. Those of sequences have an entry for each state: the next one's least value; from bit 9 on, how many bits
// are added to it; from bit 13 on, of match lengths 19, the code; from bit 25 on, how many bits the next state and the
// code's value have together. Three entries added up have the sum of the last.
const uint kTableLiteralLengths = 2048u, kTableMatchLengths = 2560u, kTableOffsets = 3072u;
// From these: 64 words of weights, a byte each, and 64 words of counts, 2 bytes each, of literal lengths, offsets and
// match lengths; their number is that of the greatest symbol and 1, as bytes of a word after each.
const uint kTableWeights = 3328u, kTableCounts = 3392u;
const uint kCountsOfOffsets = 36u, kCountsOfMatches = 68u, kCountsSymbols = 62u;  // the last in words

uint zstd_count_at(uint table) { return table == 0u ? 0u : table == 1u ? kCountsOfOffsets : kCountsOfMatches; }

uvec2 zstd_frame_at(uint frame) {
  return word64_add(push.scratch, word64_add(word64_multiply(frame, 4u * WEFT_ZSTD_FRAME_WORDS),
                                             uvec2(4u * WEFT_ZSTD_COUNTER_WORDS, 0u)));
}
uvec2 zstd_block_at(uint block) {
  return word64_add(zstd_frame_at(push.maximum), word64_multiply(block, 4u * WEFT_ZSTD_BLOCK_WORDS));
}
// Of blocks and, after them, of the dictionary.
bool zstd_has_dictionary() { return push.dictionary != uvec2(0u); }
uint zstd_slots() { return push.blocks + (zstd_has_dictionary() ? 1u : 0u); }
uvec2 zstd_tables_at(uint block) {
  return word64_add(zstd_block_at(zstd_slots()), word64_multiply(block, 4u * WEFT_ZSTD_TABLE_WORDS));
}
uvec2 zstd_records_at(uint unit) {
  return word64_add(zstd_tables_at(zstd_slots()), word64_multiply(unit, 4u * WEFT_ZSTD_RECORD_UNIT));
}
uvec2 zstd_literals_at(uint unit) {
  return word64_add(zstd_records_at(push.records), word64_multiply(unit, 4u * WEFT_ZSTD_LITERAL_UNIT));
}

// How many parts a block is decoded in: a run of literals is stored by four lanes, and sequences take two stages.
uint zstd_parts(uint literal_kind, uint streams, uint sequences) {
  return (literal_kind == kZstdRle ? 4u : streams) + 2u * min(sequences, 1u);
}

// Whether earlier stages have found no fault in a block. (Faults of this one would depend on the order of lanes.)
bool zstd_sound(uint block) {
  Words words = Words(zstd_block_at(block));
  return (words.at[kBlockFault] & 255u) == 0u;
}

// A part of a block is done.
void zstd_end_part(uint block, uint fault) {
  Words words = Words(zstd_block_at(block));
  if (fault != 0u) atomicMax(words.at[kBlockFault], fault << 8);
  atomicAdd(words.at[kBlockDone], 1u);
}

// A frame counts as refused until it is decoded, so that none is taken for that on a device that ends shaders early.
void zstd_refuse(uint frame, uint fault) {
  Words status = Words(push.status);
  status.at[1u + frame] = fault;
}
void zstd_accept(uint frame, uint bytes) {
  Words status = Words(push.status);
  status.at[1u + frame] = 0u;
  atomicAdd(status.at[0], ~0u);
  if (push.sizes != uvec2(0u)) {
    Words sizes = Words(push.sizes);
    sizes.at[frame] = bytes;
  }
}

// Whether a number is a block's or the dictionary's.
bool zstd_is_slot(uint number) {
  Words counters = Words(push.scratch);
  return number < min(counters.at[kZstdBlocksUsed], push.blocks) || (number == push.blocks && zstd_has_dictionary());
}

uint zstd_blocks() {
  Words counters = Words(push.scratch);
  return min(counters.at[kZstdBlocksUsed], push.blocks);
}

// A sequence: the block's literals and its bytes up to the sequence's end, and the offset. One that the sequences of
// the block before decide is kZstdHistory, an index of the last three offsets, and 4 times what is subtracted.
struct ZstdRecord {
  uint literals_end, end, offset;
};
const uint kZstdHistory = (1u << 28) - (1u << 19);
uvec2 zstd_record_packed(ZstdRecord record) {
  return uvec2(record.literals_end | (record.offset & 0x3fffu) << 18, record.end | record.offset >> 14 << 18);
}
ZstdRecord zstd_record_unpacked(uvec2 packed) {
  return ZstdRecord(packed.x & 0x3ffffu, packed.y & 0x3ffffu, packed.x >> 18 | packed.y >> 18 << 14);
}

#endif
