// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, stage of frames: a lane reads a frame's header and those of its blocks and their sections, and lists the
// blocks. What libzstd refuses of them is refused here.
#ifndef WEFT_ZSTD_BLOCKS_GLSL
#define WEFT_ZSTD_BLOCKS_GLSL

#include "decode/zstd_bits.glsl"

const uint kZstdMagic = 0xfd2fb528u, kZstdSkippable = 0x184d2a50u;

// What a lane knows of its frame.
struct ZstdWalk {
  ZstdSection section;
  uvec2 source;
  uint at;  // the next byte
  uint frame, fault;
  uint limit;  // bytes of a block
  bool has_checksum, has_size;
  uint size;
  uint last;     // block, or kZstdNone
  uint huffman;  // the last block with a table of literals
  uint tables;   // and with sequences
};

// Reads the header: magic number, sizes, and the number of a dictionary, which is the call's or 0.
void zstd_read_frame_header(inout ZstdWalk walk) {
  const uint bytes = walk.section.bytes;
  walk.fault = bytes < 9u ? kZstdTruncated : 0u;
  if (walk.fault != 0u) return;
  const uint descriptor = zstd_bytes(walk.section, 4u) & 255u;
  const bool single = (descriptor & 32u) != 0u;
  const uint size_flag = descriptor >> 6, dictionary_flag = descriptor & 3u;
  const uint dictionary_bytes = dictionary_flag == 3u ? 4u : dictionary_flag;
  const uint size_bytes = size_flag == 0u ? (single ? 1u : 0u) : 1u << size_flag;
  const uint dictionary_at = single ? 5u : 6u, size_at = dictionary_at + dictionary_bytes;
  walk.at = size_at + size_bytes;
  if (walk.at > bytes) walk.fault = kZstdTruncated;
  if ((descriptor & 8u) != 0u) walk.fault = kZstdBadHeader;
  uint dictionary = 0u;
  if (dictionary_bytes != 0u)
    dictionary = zstd_bytes(walk.section, dictionary_at) & ~0u >> (32u - 8u * dictionary_bytes);
  if (dictionary != 0u && dictionary != zstd_dictionary_number()) walk.fault = kZstdDictionary;

  walk.has_checksum = (descriptor & 4u) != 0u;
  walk.has_size = size_bytes != 0u;
  const uint low = zstd_bytes(walk.section, size_at);
  walk.size = size_bytes == 1u ? low & 255u : size_bytes == 2u ? (low & 0xffffu) + 256u : low;
  if (size_bytes == 8u && zstd_bytes(walk.section, size_at + 4u) != 0u) walk.size = ~0u;  // more than there is room for
  walk.limit = WEFT_ZSTD_MAX_BLOCK;
  if (single) {
    walk.limit = min(walk.limit, walk.size);
  } else {
    const uint window = zstd_bytes(walk.section, 5u) & 255u;
    const uint log = (window >> 3) + 10u;
    if (log > 31u) walk.fault = kZstdBadHeader;
    if (log < 17u) walk.limit = (1u << log) + ((1u << log) >> 3) * (window & 7u);
    walk.limit = min(walk.limit, WEFT_ZSTD_MAX_BLOCK);
  }
}

// A block, as its words are stored.
struct ZstdBlock {
  uint source_at, bytes;
  uint literal_kind, streams, literals_at, literals_end, literals;
  uint sequences_at, sequences, modes;
};

// Reads the header of literals of a compressed block, and where its sequences begin. Returns a fault.
uint zstd_read_literals_header(ZstdWalk walk, inout ZstdBlock block) {
  const uint low = zstd_bytes(walk.section, block.source_at);
  const uint format = low >> 2 & 3u;
  block.literal_kind = low & 3u;
  if (block.literal_kind < kZstdCompressed) {
    const uint header = format == 1u ? 2u : format == 3u ? 3u : 1u;
    if (block.bytes < header + (block.literal_kind == kZstdRle ? 1u : 0u)) return kZstdTruncated;
    block.literals = header == 1u ? low >> 3 & 31u : header == 2u ? low >> 4 & 0xfffu : low >> 4 & 0xfffffu;
    block.literals_at = header;
    block.literals_end = header + (block.literal_kind == kZstdRle ? 1u : block.literals);
  } else {
    const uint header = format < 2u ? 3u : format + 2u, bits = format < 2u ? 10u : format == 2u ? 14u : 18u;
    if (block.bytes < header) return kZstdTruncated;
    const uint mask = (1u << bits) - 1u;
    const uint high = zstd_bytes(walk.section, block.source_at + 4u);
    block.streams = format == 0u ? 1u : 4u;
    block.literals = low >> 4 & mask;
    block.literals_at = header;
    const uint after = 4u + bits;
    block.literals_end = header + ((low >> after | (high << 1) << (31u - after)) & mask);
    // 4 streams have a table of 6 bytes, one byte each, and 6 literals.
    if (block.streams == 4u && block.literals < 6u) return kZstdBadLiterals;
  }
  if (block.literals > WEFT_ZSTD_MAX_BLOCK || block.literals_end > block.bytes) return kZstdBadLiterals;
  return 0u;
}

// Reads the number of sequences and the modes of their tables. Returns a fault.
uint zstd_read_sequences_header(ZstdWalk walk, inout ZstdBlock block) {
  const uint at = block.literals_end, left = block.bytes - at;
  if (left == 0u) return kZstdTruncated;
  const uint low = zstd_bytes(walk.section, block.source_at + at);
  const uint first = low & 255u;
  const uint header = first < 128u ? 1u : first < 255u ? 2u : 3u;
  if (left < header) return kZstdTruncated;
  block.sequences = header == 1u   ? first
                    : header == 2u ? (first - 128u) << 8 | (low >> 8 & 255u)
                                   : (low >> 8 & 0xffffu) + 0x7f00u;
  block.sequences_at = at + header;
  block.modes = 0u;
  if (block.sequences == 0u) return first != 0u ? kZstdInexact : left != 1u ? kZstdBadSequences : 0u;
  if (left == header) return kZstdTruncated;
  block.modes = zstd_bytes(walk.section, block.source_at + block.sequences_at) & 255u;
  ++block.sequences_at;
  return (block.modes & 3u) != 0u ? kZstdInexact : 0u;
}

// Stores a block's words, all that later stages read.
void zstd_store_block(inout ZstdWalk walk, ZstdBlock block, uint index, uint kind, uint records, uint literals) {
  Words words = Words(zstd_block_at(index));
  const uvec2 source = word64_add(walk.source, block.source_at);
  words.at[kBlockNext] = kZstdNone;
  words.at[kBlockFault] = kZstdUnfinished;
  words.at[kBlockDone] = 0u;
  words.at[kBlockFrame] = walk.frame;
  words.at[kBlockSource] = source.x;
  words.at[kBlockSourceHigh] = source.y;
  words.at[kBlockBytes] = block.bytes;
  words.at[kBlockLiteralKind] = block.literal_kind;
  words.at[kBlockStreams] = block.streams;
  words.at[kBlockLiteralsAt] = block.literals_at;
  words.at[kBlockLiteralsEnd] = block.literals_end;
  words.at[kBlockLiterals] = block.literals;
  const uvec2 stored = word64_add(source, block.literals_at);
  const bool in_scratch = block.literal_kind != kZstdRaw;
  uvec2 base = uvec2(stored.x & ~3u, stored.y);
  if (in_scratch) base = zstd_literals_at(literals);
  base = word64_subtract(base, uvec2(4u, 0u));
  const uint first = in_scratch ? 0u : stored.x & 3u;
  words.at[kBlockLiteralBase] = base.x | first;
  words.at[kBlockLiteralBaseHigh] = base.y;
  words.at[kBlockLiteralLast] = (4u + first + max(block.literals, 1u) - 1u) >> 2;
  words.at[kBlockHuffman] = block.literal_kind == kZstdCompressed ? index : walk.huffman;
  words.at[kBlockSequencesAt] = block.sequences_at;
  words.at[kBlockSequences] = block.sequences;
  words.at[kBlockModes] = block.modes;
  words.at[kBlockRecords] = records;
  Words before = Words(zstd_block_at(walk.tables == kZstdNone ? index : walk.tables));
  for (uint table = 0u; table < 3u; ++table) {
    uint owner = index;
    if ((block.modes >> (6u - 2u * table) & 3u) == kZstdRepeated) owner = before.at[kBlockTables + table];
    words.at[kBlockTables + table] = owner;
    words.at[kBlockOffsets + table] = kZstdHistory + table;
  }
  words.at[kBlockLimit] = walk.limit;
  words.at[kBlockSize] = kind == kZstdRle ? block.bytes : block.literals;
  for (uint log = 0u; log < 4u; ++log) words.at[kBlockLogs + log] = 0u;
}

// Reserves `units` of `limit`. A counter that is too large already stays as it is, so that none wraps: a block has up
// to 1,532 units, and no device runs 2^21 lanes at once.
bool zstd_reserve(uint counter, uint units, uint limit, out uint first) {
  Words counters = Words(push.scratch);
  first = atomicAdd(counters.at[counter], 0u);
  if (first > limit) return false;
  first = atomicAdd(counters.at[counter], units);
  return first <= limit && units <= limit - first;
}

// Lists a block of `kind`, of which block.source_at and block.bytes are set. Sets walk.fault.
void zstd_list_block(inout ZstdWalk walk, inout ZstdBlock block, uint kind) {
  if (block.bytes > walk.limit) {
    walk.fault = kZstdInexact;
  } else if (kind == kZstdCompressed) {
    walk.fault = zstd_read_literals_header(walk, block);
    if (walk.fault == 0u) walk.fault = zstd_read_sequences_header(walk, block);
    if (walk.fault == 0u && block.literal_kind == kZstdRepeated && walk.huffman == kZstdNone)
      walk.fault = kZstdBadTable;
    const uint modes = block.modes & block.modes >> 1 & 0x54u;  // a bit of each that is kZstdRepeated
    if (walk.fault == 0u && modes != 0u && walk.tables == kZstdNone) walk.fault = kZstdBadTable;
  } else {
    // As literals, of which a run has the first: its match repeats it.
    block.literals = kind == kZstdRle ? min(block.bytes, 1u) : block.bytes;
  }
  if (walk.fault == 0u && block.literals > walk.limit) walk.fault = kZstdInexact;
  if (walk.fault != 0u) return;

  uint records = 0u, literals = 0u, index = 0u;
  if (block.sequences != 0u && !zstd_reserve(kZstdRecordsUsed, (block.sequences + 63u) >> 6, push.records, records))
    walk.fault = kZstdTooManySequences;
  else if (block.literal_kind != kZstdRaw &&
           !zstd_reserve(kZstdLiteralsUsed, (block.literals >> 8) + 1u, push.literals, literals))
    walk.fault = kZstdTooManyLiterals;
  else if (!zstd_reserve(kZstdBlocksUsed, 1u, push.blocks, index))
    walk.fault = kZstdTooManyBlocks;
  if (walk.fault != 0u) return;
  zstd_store_block(walk, block, index, kind, records, literals);
  if (walk.last == kZstdNone) {
    Words frame = Words(zstd_frame_at(walk.frame));
    frame.at[kFrameFirstBlock] = index;
  } else {
    Words last = Words(zstd_block_at(walk.last));
    last.at[kBlockNext] = index;
  }
  walk.last = index;
  if (kind == kZstdCompressed && block.literal_kind == kZstdCompressed) walk.huffman = index;
  if (block.sequences != 0u) walk.tables = index;
}

// Reads a block's header and lists it. Returns whether it is the last.
bool zstd_walk_block(inout ZstdWalk walk) {
  const uint left = walk.section.bytes - walk.at;
  if (left < 3u) walk.fault = kZstdTruncated;
  const uint header = zstd_bytes(walk.section, walk.at);
  const uint kind = header >> 1 & 3u, bytes = header >> 3 & 0x1fffffu;
  const uint stored = kind == kZstdRle ? 1u : bytes;
  if (walk.fault == 0u && kind == 3u) walk.fault = kZstdBadHeader;
  if (walk.fault == 0u && stored > left - 3u) walk.fault = kZstdTruncated;
  if (walk.fault != 0u) return true;
  ZstdBlock block = ZstdBlock(walk.at + 3u, bytes, kZstdRaw, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  walk.at += 3u + stored;
  zstd_list_block(walk, block, kind);
  return (header & 1u) != 0u;
}

uint zstd_walk_frame(inout ZstdWalk walk) {
  if (walk.section.bytes >= 8u && (zstd_bytes(walk.section, 0u) & ~15u) == kZstdSkippable) {
    walk.has_size = true;
    return zstd_bytes(walk.section, 4u) == walk.section.bytes - 8u ? 0u : kZstdTruncated;
  }
  if (walk.section.bytes >= 4u && zstd_bytes(walk.section, 0u) != kZstdMagic) return kZstdBadHeader;
  zstd_read_frame_header(walk);
  bool ended = walk.fault != 0u;
  while (!ended)
    for (uint turn = 0u; turn < kZstdTurns && !ended; ++turn) ended = zstd_walk_block(walk) || walk.fault != 0u;
  if (walk.fault != 0u) return walk.fault;
  return walk.section.bytes - walk.at == (walk.has_checksum ? 4u : 0u) ? 0u : kZstdTruncated;
}

// Writes the frame's words, and if it is refused, why.
void zstd_list_frame(uint index) {
  const FrameEntry entry = load_frame_entry(index);
  Words frame = Words(zstd_frame_at(index)), status = Words(push.status);
  frame.at[kFrameFirstBlock] = kZstdNone;
  frame.at[kFrameWalked] = 0u;
  atomicAdd(status.at[0], 1u);
  zstd_refuse(index, kZstdUnfinished);
  if (push.sizes != uvec2(0u)) {
    Words sizes = Words(push.sizes);
    sizes.at[index] = 0u;
  }
  const uint before = zstd_is_trained() ? push.blocks : kZstdNone;
  ZstdWalk walk = ZstdWalk(zstd_section(entry.source, entry.bytes), entry.source, 0u, index, 0u, 0u, false, false, 0u,
                           kZstdNone, before, before);
  // Positions of bytes are added to.
  uint verdict = kZstdBadEntry;
  if (entry.valid && entry.bytes < 0xffff0000u) {
    verdict = zstd_walk_frame(walk);
    if (verdict == 0u && walk.has_size && walk.size > entry.capacity) verdict = kZstdBadSize;
  }
  frame.at[kFrameHasSize] = walk.has_size ? 1u : 0u;
  frame.at[kFrameSize] = walk.size;
  frame.at[kFrameHasChecksum] = walk.has_checksum ? 1u : 0u;
  if (verdict == 0u) {
    frame.at[kFrameChecksum] = zstd_bytes(walk.section, walk.at);
    frame.at[kFrameWalked] = 1u;
  } else {
    zstd_refuse(index, verdict);
  }
}

#endif
