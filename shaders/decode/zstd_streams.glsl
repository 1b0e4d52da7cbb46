// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, stages of streams: a lane decodes one of the streams of a block's literals, or a block's sequences. A
// stream ends with its first bit exactly; a libzstd may not demand that.
#ifndef WEFT_ZSTD_STREAMS_GLSL
#define WEFT_ZSTD_STREAMS_GLSL

#include "decode/zstd_sequences.glsl"

// ---- literals ----

// Where literals of a stream are stored: the word, and its bytes so far.
struct ZstdLiterals {
  Words words;
  uint at, word, mask;
};

void zstd_put_literal(inout ZstdLiterals literals, uint byte) {
  const uint shift = 8u * (literals.at & 3u);
  literals.word |= byte << shift;
  literals.mask |= 255u << shift;
  if ((literals.at & 3u) == 3u) {
    merge_word(literals.words, literals.at >> 2, literals.word, literals.mask);
    literals.word = literals.mask = 0u;
  }
  ++literals.at;
}

// Decodes one literal of a code of up to 12 bits; as many are available.
uint zstd_literal(inout ZstdStream stream, Words table, uint log) {
  const uint index = stream.high >> (32u - log);
  const uint entry = table.at[index >> 1] >> (16u * (index & 1u)) & 0xffffu;
  zstd_drop(stream, entry & 15u);
  return entry >> 4;
}

// Decodes `count` literals to byte `at` of the block's. Returns a fault.
uint zstd_decode_stream(Words words, uint at, uint count, uvec2 source, uint bytes, Words table, uint log) {
  ZstdStream stream = zstd_stream(source, bytes);
  // libzstd's fast loops do not look for the last bit.
  if (stream.left < 0) return bytes == 0u ? kZstdBadLiterals : kZstdInexact;
  ZstdLiterals literals = ZstdLiterals(words, at, 0u, 0u);
  while (count != 0u)
    for (uint turn = 0u; turn < kZstdTurns && count != 0u; ++turn) {
      if (count >= 4u && (literals.at & 3u) == 0u) {
        zstd_refill(stream);
        uint word = zstd_literal(stream, table, log);
        word |= zstd_literal(stream, table, log) << 8;
        zstd_refill(stream);
        word |= zstd_literal(stream, table, log) << 16;
        word |= zstd_literal(stream, table, log) << 24;
        words.at[literals.at >> 2] = word;
        literals.at += 4u;
        count -= 4u;
      } else {
        zstd_refill(stream);
        zstd_put_literal(literals, zstd_literal(stream, table, log));
        --count;
      }
    }
  merge_word(words, literals.at >> 2, literals.word, literals.mask);
  return stream.left == 0 ? 0u : kZstdInexact;
}

// Stores a run of one byte, a quarter of its words.
void zstd_fill_literals(Words words, uint count, uint byte, uint quarter) {
  const uint end = (count + 3u) >> 2;
  for (uint word = quarter; word < end; word += 4u) words.at[word] = byte * 0x01010101u;
}

void zstd_decode_literals(uint number) {
  const uint index = number >> 2, part = number & 3u;
  Words block = Words(zstd_block_at(index));
  const uint kind = block.at[kBlockLiteralKind], count = block.at[kBlockLiterals];
  const uvec2 source = uvec2(block.at[kBlockSource], block.at[kBlockSourceHigh]);
  const uint at = block.at[kBlockLiteralsAt];
  if (kind == kZstdRaw || !zstd_sound(index)) return;
  Words words = Words(word64_add(uvec2(block.at[kBlockLiteralBase], block.at[kBlockLiteralBaseHigh]), 4u));  // aligned
  if (kind == kZstdRle) {
    const ZstdSection section = zstd_section(word64_add(source, at), 1u);
    zstd_fill_literals(words, count, zstd_bytes(section, 0u) & 255u, part);
    zstd_end_part(index, 0u);
    return;
  }
  const uint owner = block.at[kBlockHuffman];
  if (!zstd_sound(owner) || part >= block.at[kBlockStreams]) return;
  Words owning = Words(zstd_block_at(owner));
  const uint log = clamp(owning.at[kBlockLogs], 1u, 12u), bytes = block.at[kBlockLiteralsEnd] - at;
  uint first = 0u, end = bytes, first_literal = 0u, literals = count, fault = 0u;
  if (block.at[kBlockStreams] == 4u) {
    const ZstdSection section = zstd_section(word64_add(source, at), bytes);
    const uint low = zstd_bytes(section, 0u), high = zstd_bytes(section, 4u) & 0xffffu;
    const uint one = 6u + (low & 0xffffu), two = one + (low >> 16), three = two + high;
    first = part == 0u ? 6u : part == 1u ? one : part == 2u ? two : three;
    end = part == 0u ? one : part == 1u ? two : part == 2u ? three : bytes;
    const uint each = (count + 3u) >> 2;
    first_literal = part * each;
    literals = part == 3u ? count - first_literal : each;
    if (bytes < 10u || three > bytes) fault = kZstdBadLiterals;
  }
  if (fault == 0u)
    fault = zstd_decode_stream(words, first_literal, literals, word64_add(source, at + first), end - first,
                               Words(zstd_tables_at(owner)), log);
  zstd_end_part(index, fault);
}

// ---- sequences ----

// The state after one that has `entry`; its bits are the lowest of `bits`. (Its least value has zeros in their place.)
uint zstd_next_state(uint entry, uint bits) { return (entry & 511u) | (bits & ~(~0u << (entry >> 9 & 15u))); }

// Walks through the states of a block's sequences, and stores of each its codes and how many bits it has: all that
// depends on the sequence before. States stay within their tables whatever the bits are. Positions before the stream
// count as 0; the next stage, which adds up the bits, finds that.
void zstd_walk_sequences(Words block, ZstdSpan span, Words walked) {
  const uint count = block.at[kBlockSequences];
  const uint lengths_owner = block.at[kBlockTables], offsets_owner = block.at[kBlockTables + 1u],
             matches_owner = block.at[kBlockTables + 2u];
  Words lengths = Words(word64_add(zstd_tables_at(lengths_owner), 4u * kTableLiteralLengths));
  Words offsets = Words(word64_add(zstd_tables_at(offsets_owner), 4u * kTableOffsets));
  Words matches = Words(word64_add(zstd_tables_at(matches_owner), 4u * kTableMatchLengths));
  const ivec3 logs = zstd_sequence_logs(block);
  int at = max(span.end - logs.x - logs.y - logs.z, 0);
  const uint first = zstd_bits_from(span, at);
  uint match_state = bitfieldExtract(first, 0, logs.z);
  uint offset_state = bitfieldExtract(first, logs.z, logs.y);
  uint length_state = bitfieldExtract(first, logs.z + logs.y, logs.x);
  // After the last sequence come up to seven of any kind, which nobody reads.
  for (uint base = 0u; base < count; base += 8u)
    [[unroll]] for (uint step = 0u; step < 8u; ++step) {
      const uint length = lengths.at[length_state], match = matches.at[match_state], offset = offsets.at[offset_state];
      const uint walk = zstd_walked(length, match, offset);
      walked.at[base + step] = walk;
      at = max(at - int(walk >> 25), 0);
      const uint bits = zstd_bits_from(span, at);
      const uint offset_bits = offset >> 9 & 15u, match_bits = match >> 9 & 15u;
      offset_state = zstd_next_state(offset, bits);
      match_state = zstd_next_state(match, bits >> offset_bits);
      length_state = zstd_next_state(length, bits >> (offset_bits + match_bits));
    }
}

void zstd_walk(uint index) {
  Words block = Words(zstd_block_at(index));
  if (block.at[kBlockSequences] == 0u || !zstd_sound(index)) return;
  for (uint table = 0u; table < 3u; ++table)
    if (!zstd_sound(block.at[kBlockTables + table])) return;
  const ZstdSpan span = zstd_sequence_span(block);
  if (span.end >= 0) zstd_walk_sequences(block, span, Words(zstd_walked_at(block)));
  zstd_end_part(index, 0u);
}

#endif
