// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, stage of copies: each group of 32 lanes writes one frame, block after block, from literals and records,
// and reports its verdict. Offsets that the blocks before decide are resolved here, and all are checked.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#include "decode/zstd_decode.h"
#include "decode/zstd_decode_copy.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/zstd_bits.glsl"

// The words that a block's literals are read from, and the last of them.
uvec2 weft_zstd_literals;
uint weft_zstd_literal_last;
#define WEFT_LZ_LITERALS(WORD) Words(weft_zstd_literals).at[min(WORD, weft_zstd_literal_last)]

// The dictionary's bytes, which precede the output, and the position of the output's first byte.
ZstdSection weft_zstd_dictionary;
uint weft_zstd_first;

// The bytes of a word of positions that the dictionary has.
uint dictionary_word(uint word) {
  const int at = int(4u * word + weft_zstd_dictionary.bytes) - int(weft_zstd_first);
  if (at <= -4) return 0u;
  const uint bytes = zstd_bytes(weft_zstd_dictionary, uint(max(at, 0)));
  return at < 0 ? bytes << (8 * -at) : bytes;
}
uint output_word(Words words, uint word) {
  if (!kDictionary || 4u * word >= weft_zstd_first) return words.at[word];
  uint bytes = dictionary_word(word);
  if (word == weft_zstd_first >> 2) {
    const uint mask = ~0u << (8u * (weft_zstd_first & 3u));
    bytes = (bytes & ~mask) | (words.at[word] & mask);
  }
  return bytes;
}
#define WEFT_LZ_OUTPUT(WORDS, WORD) output_word(WORDS, WORD)
#include "weft/lz_copy.glsl"

// A block as its group sees it: where it begins in the output's words, what is before and after its records, and the
// last three offsets before it.
struct CopyBlock {
  uvec2 records;
  uint begin, sequences, literals, size, literal_first;
  uint first, second, third;
};

// An offset that is in a record. 0: there is none.
uint resolved(CopyBlock block, uint offset) {
  if (offset < kZstdHistory) return offset;
  const uint index = offset & 3u, less = (offset - kZstdHistory) >> 2;
  const uint earlier = index == 0u ? block.first : index == 1u ? block.second : block.third;
  return earlier - min(earlier, less);
}

// A record by its number and 1; the first is before all, and the last, of all that is left, comes again and again.
ZstdRecord load_record(CopyBlock block, uint number) {
  ZstdRecord record = ZstdRecord(0u, 0u, 1u);
  if (number > block.sequences) {
    record = ZstdRecord(block.literals, block.size, 1u);
  } else if (number != 0u) {
    record = zstd_record_unpacked(Words2(block.records).at[number - 1u]);
    record.offset = resolved(block, record.offset);
  }
  return record;
}

LzSequence sequence_between(CopyBlock block, ZstdRecord before, ZstdRecord record) {
  LzSequence sequence;
  sequence.begin = block.begin + before.end;
  sequence.match = sequence.begin + record.literals_end - before.literals_end;
  sequence.end = block.begin + record.end;
  sequence.offset = record.offset;
  sequence.literals = block.literal_first + before.literals_end - sequence.begin;
  return sequence;
}

// Of what follows a fault, nothing is read or written.
uint sequence_fault(LzSequence sequence, uint before) {
  if (sequence.match >= sequence.end) return 0u;
  if (sequence.offset == 0u) return kZstdInexact;
  return sequence.offset > sequence.match - before || sequence.offset == kZstdHistory - 1u ? kZstdBadOffset : 0u;
}

// Writes the block's windows. `first`: the position of the frame's first byte. Returns a fault.
uint write_block(Words target, uint first, CopyBlock block) {
  uint number = 1u;  // record that is not yet written to its end
  const uint before_all = first - (kDictionary ? weft_zstd_dictionary.bytes : 0u);
  const uint end = block.begin + block.size;
  for (uint from = block.begin; lanes_uniform(from < end);) {
    const uint own = number + 2u * lanes_lane();
    const ZstdRecord before = load_record(block, own - 1u);
    const ZstdRecord middle = load_record(block, own);
    const ZstdRecord last = load_record(block, own + 1u);
    const LzSequence one = sequence_between(block, before, middle);
    const LzSequence two = sequence_between(block, middle, last);
    const uint fault = max(sequence_fault(one, before_all), sequence_fault(two, before_all));
    if (lanes_any(fault != 0u)) return lanes_max(fault);
    const uint to = min(lanes_broadcast(two.end, 31u), lz_window_end(from));
    lz_copy(target, first, one, two, from, to);
    number += bitCount(lanes_ballot(one.end <= to)) + bitCount(lanes_ballot(two.end <= to));
    from = to;
  }
  return 0u;
}

CopyBlock load_block(Words words, uint begin, uvec3 history) {
  CopyBlock block;
  block.records = zstd_records_at(words.at[kBlockRecords]);
  block.begin = begin;
  block.sequences = words.at[kBlockSequences];
  block.literals = words.at[kBlockLiterals];
  block.size = words.at[kBlockSize];
  block.literal_first = 4u + (words.at[kBlockLiteralBase] & 3u);
  block.first = history.x;
  block.second = history.y;
  block.third = history.z;
  return block;
}

// Writes the frame. Returns a fault; `done` becomes the number of its bytes.
uint write_frame(FrameEntry entry, Words frame, out uint done) {
  uint first = entry.target.x & 3u;
  uvec2 target_at = uvec2(entry.target.x - first, entry.target.y);
  uvec3 history = uvec3(1u, 4u, 8u);
  uint fault = 0u;
  done = 0u;
  if (kDictionary) {
    Words dictionary = Words(zstd_block_at(push.blocks));
    // Not declared uniform: of positions that are computed from such a number, NVIDIA's compiler makes wrong loads.
    const uint bytes = dictionary.at[kBlockSize];
    fault = lanes_uniform(dictionary.at[kBlockFault]);
    weft_zstd_dictionary = zstd_section(word64_add(push.dictionary, dictionary.at[kBlockLiteralsAt]), bytes);
    history = uvec3(dictionary.at[kBlockOffsets], dictionary.at[kBlockOffsets + 1u], dictionary.at[kBlockOffsets + 2u]);
    // Positions begin with whole words that have all of the dictionary, and one more.
    const uint before = (bytes + 7u) & ~3u;
    target_at = word64_subtract(target_at, uvec2(before, 0u));
    first += before;
    weft_zstd_first = first;
    const uint mask = (1u << (8u * (first & 3u))) - 1u;
    lz_begin_after(dictionary_word((first >> 2) - 1u), dictionary_word(first >> 2) & mask);
  } else {
    lz_begin();
  }
  Words target = Words(target_at);
  for (uint number = lanes_uniform(frame.at[kFrameFirstBlock]); lanes_uniform(number != kZstdNone && fault == 0u);) {
    Words words = Words(zstd_block_at(number));
    const uint found = words.at[kBlockFault];
    const CopyBlock block = load_block(words, first + done, history);
    fault = max(found & 255u, found >> 8);
    const uint parts = zstd_parts(words.at[kBlockLiteralKind], words.at[kBlockStreams], block.sequences);
    if (fault == 0u && words.at[kBlockDone] != parts) fault = kZstdUnfinished;
    if (fault == 0u && block.size > entry.capacity - done) fault = kZstdBadSize;
    fault = lanes_uniform(fault);
    if (lanes_uniform(fault == 0u)) {
      weft_zstd_literals = uvec2(words.at[kBlockLiteralBase] & ~3u, words.at[kBlockLiteralBaseHigh]);
      weft_zstd_literal_last = words.at[kBlockLiteralLast];
      fault = lanes_uniform(write_block(target, first, block));
      done += block.size;
      history = uvec3(resolved(block, words.at[kBlockOffsets]), resolved(block, words.at[kBlockOffsets + 1u]),
                      resolved(block, words.at[kBlockOffsets + 2u]));
    }
    number = lanes_uniform(words.at[kBlockNext]);
  }
  if (lanes_uniform(fault == 0u)) lz_end(target, first, first + done);
  if (fault == 0u && frame.at[kFrameHasSize] != 0u && frame.at[kFrameSize] != done) fault = kZstdBadSize;
  return fault;
}

void main() {
  const uint slot = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(!entry_is_there(slot))) return;
  Words frame = Words(zstd_frame_at(slot));
  if (lanes_uniform(frame.at[kFrameWalked] == 0u)) return;
  const FrameEntry entry = load_frame_entry(slot);
  uint done;
  const uint fault = write_frame(entry, frame, done);
  if (lanes_lane() == 0u) {
    if (fault != 0u) {
      zstd_refuse(slot, fault);
    } else if (push.verify == 0u || frame.at[kFrameHasChecksum] == 0u) {
      zstd_accept(slot, done);
    } else {
      frame.at[kFrameContent] = done;
      frame.at[kFrameWalked] = 2u;
    }
  }
}
