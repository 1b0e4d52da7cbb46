// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The dictionary of a call: bytes, which precede each frame's content, or a trained one (RFC 8878, section 5), with
// tables and offsets before its bytes. It has a slot after all blocks, as a block whose tables others repeat.
#ifndef WEFT_ZSTD_DICTIONARY_GLSL
#define WEFT_ZSTD_DICTIONARY_GLSL

#include "decode/zstd_headers.glsl"

// Before frames are listed: what their blocks may repeat.
void zstd_begin_dictionary() {
  Words block = Words(zstd_block_at(push.blocks));
  const bool trained = zstd_is_trained();
  block.at[kBlockFault] = kZstdUnfinished;
  block.at[kBlockLiteralKind] = trained ? kZstdCompressed : kZstdRaw;
  block.at[kBlockSequences] = trained ? 1u : 0u;
  block.at[kBlockModes] = 0xa8u;  // three tables that are described
  block.at[kBlockLiteralsAt] = 0u;
  block.at[kBlockSize] = push.dictionary_bytes;
  for (uint table = 0u; table < 3u; ++table) {
    block.at[kBlockTables + table] = push.blocks;
    block.at[kBlockOffsets + table] = 1u << (table == 0u ? 0u : table + 1u);  // 1, 4, 8
  }
  for (uint log = 0u; log < 4u; ++log) block.at[kBlockLogs + log] = 0u;
}

// Reads a trained dictionary's headers and offsets. Returns false if it is none.
bool zstd_read_trained(Words block) {
  const uvec2 tables_at = zstd_tables_at(push.blocks);
  Words tables = Words(tables_at);
  const uint bytes = push.dictionary_bytes;
  const uint taken = zstd_read_weights(block, tables, tables_at, word64_add(push.dictionary, 8u), bytes - 8u);
  if (taken == 0u) return false;
  uint at = 8u + taken;
  tables.at[kTableCounts + kCountsSymbols] = 0u;
  for (uint i = 0u; i < 3u; ++i) {
    const uint table = i == 2u ? 0u : i + 1u;  // offsets, match lengths, literal lengths
    if (!zstd_read_table(block, tables_at, push.dictionary, bytes, table, at)) return false;
  }
  if (bytes - at < 12u) return false;
  const ZstdSection section = zstd_section(push.dictionary, bytes);
  const uint content = bytes - at - 12u;
  for (uint i = 0u; i < 3u; ++i) {
    const uint offset = zstd_bytes(section, at + 4u * i);
    if (offset == 0u || offset > content) return false;
    block.at[kBlockOffsets + i] = offset;
  }
  block.at[kBlockLiteralsAt] = at + 12u;
  block.at[kBlockSize] = content;
  return true;
}

void zstd_read_dictionary() {
  Words block = Words(zstd_block_at(push.blocks));
  bool good = true;
  if (zstd_is_trained()) good = zstd_read_trained(block);
  block.at[kBlockFault] = good ? 0u : kZstdDictionary;
}

#endif
