// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, stages of streams: a lane decodes one of the streams of a block's literals, or a block's sequences. A
// stream ends with its first bit exactly; a libzstd may not demand that.
#ifndef WEFT_ZSTD_STREAMS_GLSL
#define WEFT_ZSTD_STREAMS_GLSL

#include "decode/zstd_bits.glsl"

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
  if (stream.left < 0) return kZstdBadLiterals;
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

// One of the three states: its table and the logarithm of its size.
struct ZstdState {
  uint at, log;
};

// The last three offsets, first the last.
struct ZstdHistory {
  uint first, second, third;
};

// Turns the value of an offset into it, and into the last of three.
uint zstd_offset(inout ZstdHistory history, uint value, bool no_literals) {
  const uint index = value - 1u + (no_literals ? 1u : 0u);
  uint offset = min(value - 3u, kZstdHistory - 1u);
  if (value <= 3u) {
    offset = index == 0u ? history.first : index == 1u ? history.second : index == 2u ? history.third : history.first;
    // One less: as a number, or noted for the copy stage.
    if (index == 3u) offset = offset >= kZstdHistory ? offset + 4u : offset - 1u;
  }
  if (value > 3u || index > 1u) history.third = history.second;
  if (value > 3u || index > 0u) history.second = history.first;
  history.first = offset;
  return offset;
}

// Decodes the block's sequences to records. Returns a fault; `size` becomes the number of the block's bytes.
uint zstd_read_sequences(Words block, ZstdStream stream, Words2 records, out uint size) {
  const uint count = block.at[kBlockSequences];
  const uint literals = block.at[kBlockLiterals], limit = block.at[kBlockLimit];
  const uvec2 lengths_at = zstd_tables_at(block.at[kBlockTables]),
              offsets_at = zstd_tables_at(block.at[kBlockTables + 1u]),
              matches_at = zstd_tables_at(block.at[kBlockTables + 2u]);
  Words2 lengths = Words2(word64_add(lengths_at, uvec2(4u * kTableLiteralLengths, 0u)));
  Words2 matches = Words2(word64_add(matches_at, uvec2(4u * kTableMatchLengths, 0u)));
  Words offsets = Words(word64_add(offsets_at, uvec2(4u * kTableOffsets, 0u)));
  Words lengths_block = Words(zstd_block_at(block.at[kBlockTables]));
  Words offsets_block = Words(zstd_block_at(block.at[kBlockTables + 1u]));
  Words matches_block = Words(zstd_block_at(block.at[kBlockTables + 2u]));
  uint length_state = zstd_take(stream, lengths_block.at[kBlockLogs + 1u]);
  uint offset_state = zstd_take(stream, offsets_block.at[kBlockLogs + 2u]);
  zstd_refill(stream);
  uint match_state = zstd_take(stream, matches_block.at[kBlockLogs + 3u]);
  zstd_refill(stream);

  ZstdHistory history = ZstdHistory(kZstdHistory, kZstdHistory + 1u, kZstdHistory + 2u);
  ZstdRecord record = ZstdRecord(0u, 0u, 0u);
  uint fault = 0u;
  for (uint done = 0u; done < count && fault == 0u;)
    for (uint turn = 0u; turn < kZstdTurns && done < count && fault == 0u; ++turn) {
      const uvec2 length = lengths.at[length_state & 511u], match = matches.at[match_state & 511u];
      const uint offset = offsets.at[offset_state & 255u];
      const uint code = offset >> 24, match_bits = match.x >> 24, length_bits = length.x >> 24;
      const uint bits = code + match_bits + length_bits;
      uint value = 1u << code, match_length = match.y, literal_length = length.y;
      if (bits < 32u) {
        value += zstd_peek(stream, 0u, code);
        match_length += zstd_peek(stream, code, match_bits);
        literal_length += zstd_peek(stream, code + match_bits, length_bits);
        zstd_drop(stream, bits);
      } else {
        value += zstd_take(stream, code);
        zstd_refill(stream);
        match_length += zstd_take(stream, match_bits);
        literal_length += zstd_take(stream, length_bits);
      }
      zstd_refill(stream);
      record.literals_end += literal_length;
      record.end += literal_length + match_length;
      record.offset = zstd_offset(history, value, literal_length == 0u);
      fault = record.literals_end > literals              ? kZstdBadSequences
              : record.end > limit || record.offset == 0u ? kZstdInexact
                                                          : 0u;
      if (fault == 0u) records.at[done] = zstd_record_packed(record);
      ++done;
      if (done < count) {
        const uint next_length = length.x >> 16 & 255u, next_match = match.x >> 16 & 255u;
        const uint next_offset = offset >> 16 & 255u;
        length_state = (length.x & 0xffffu) + zstd_peek(stream, 0u, next_length);
        match_state = (match.x & 0xffffu) + zstd_peek(stream, next_length, next_match);
        offset_state = (offset & 0xffffu) + zstd_peek(stream, next_length + next_match, next_offset);
        zstd_drop(stream, next_length + next_match + next_offset);
        zstd_refill(stream);
      }
    }
  block.at[kBlockOffsets] = history.first;
  block.at[kBlockOffsets + 1u] = history.second;
  block.at[kBlockOffsets + 2u] = history.third;
  size = record.end + literals - record.literals_end;
  if (fault == 0u && (stream.left != 0 || size > limit)) fault = kZstdInexact;
  return fault;
}

void zstd_decode_sequences(uint index) {
  Words block = Words(zstd_block_at(index));
  if (block.at[kBlockSequences] == 0u || !zstd_sound(index)) return;
  for (uint table = 0u; table < 3u; ++table)
    if (!zstd_sound(block.at[kBlockTables + table])) return;
  const uint at = block.at[kBlockSequencesAt];
  const uvec2 source = uvec2(block.at[kBlockSource], block.at[kBlockSourceHigh]);
  const ZstdStream stream = zstd_stream(word64_add(source, at), block.at[kBlockBytes] - at);
  uint fault = kZstdBadSequences, size = 0u;
  if (stream.left >= 0)
    fault = zstd_read_sequences(block, stream, Words2(zstd_records_at(block.at[kBlockRecords])), size);
  block.at[kBlockSize] = size;
  zstd_end_part(index, fault);
}

#endif
