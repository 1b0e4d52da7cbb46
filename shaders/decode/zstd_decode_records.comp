// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, stage of records: each group of 32 lanes makes the records of one block's sequences from their codes,
// which the walk has left: values of codes, the last three offsets, and positions by scans. A stream of sequences ends
// with its first bit exactly; a libzstd may not demand that.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#include "decode/zstd_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/zstd_sequences.glsl"
#include "weft/lanes.glsl"

// zstd_value_of() of literal lengths, and from 64 on of match lengths.
shared uint weft_zstd_values[128];

void fill_values() {
  for (uint code = gl_LocalInvocationIndex; code < 64u; code += kWorkgroupSize) {
    weft_zstd_values[code] = zstd_value_of(kLiteralLengths, min(code, 35u));
    weft_zstd_values[64u + code] = zstd_value_of(kMatchLengths, min(code, 52u));
  }
  barrier();
}

// What the sequences so far leave to those after them: the stream's bits, literals and bytes of the block up to here,
// and the last three offsets, first the last.
struct Past {
  int left;
  uint literals, bytes;
  uvec3 offsets;
};

// A sequence as its codes and bits say. `value` is the offset's.
struct Sequence {
  uint literals, match, value;
  int begin;  // bit, where it ends
};

Sequence sequence_of(ZstdSpan span, uint walked, int end) {
  const uint offset_bits = walked & 31u;
  const uint length = weft_zstd_values[walked >> 13 & 63u], match = weft_zstd_values[64u + (walked >> 19 & 63u)];
  const uint length_bits = length >> kZstdExtraAt, match_bits = match >> kZstdExtraAt;
  const uint mask = (1u << kZstdExtraAt) - 1u;
  const int offset_at = end - int(offset_bits);
  Sequence sequence;
  sequence.begin = offset_at - int(length_bits + match_bits);
  sequence.value =
      (1u << offset_bits) + bitfieldExtract(zstd_bits_from(span, max(offset_at, 0)), 0, int(offset_bits));
  const uint bits = zstd_bits_from(span, max(sequence.begin, 0));
  sequence.literals = (length & mask) + bitfieldExtract(bits, 0, int(length_bits));
  sequence.match = (match & mask) + bitfieldExtract(bits, int(length_bits), int(match_bits));
  return sequence;
}

// ---- the last three offsets ----

// Where each of three offsets comes from, a byte each: one of the three before, or 3 and the lane whose sequence has
// it.
const uint kSameHistory = 0x020100u;

uint history_source(uint history, uint index) { return history >> (8u * index) & 255u; }

// `later` after `earlier`.
uint history_after(uint later, uint earlier) {
  uint both = 0u;
  [[unroll]] for (uint index = 0u; index < 3u; ++index) {
    const uint source = history_source(later, index);
    both |= (source < 3u ? history_source(earlier, source) : source) << (8u * index);
  }
  return both;
}

uint history_plus_earlier(uint history, uint delta) {
  const uint earlier = lanes_shuffle_up(history, delta);
  return lanes_lane() >= delta ? history_after(history, earlier) : history;
}

// An offset less one: a number, or one of the block before, of which the record notes it.
uint one_less(uint offset) { return offset >= kZstdHistory ? offset + 4u : offset - 1u; }

uint past_offset(Past past, uint index) {
  return index == 0u ? past.offsets.x : index == 1u ? past.offsets.y : past.offsets.z;
}

// Turns values of offsets into them. `value` is 0 where there is no sequence.
uint resolve_offsets(inout Past past, uint value, bool no_literals) {
  const uint lane = lanes_lane();
  // Of the last three, or 3: the last less one.
  const uint index = value - 1u + (no_literals ? 1u : 0u);
  const bool is_new = value > 3u, repeats = value != 0u && !is_new, is_less = repeats && index == 3u;
  const uint own = 3u + lane;
  uint history = kSameHistory;
  if (is_new || is_less) history = own | 0x010000u;
  else if (repeats && index == 1u) history = 0x020001u;
  else if (repeats && index == 2u) history = 0x010002u;
  history = history_plus_earlier(history, 1u);
  history = history_plus_earlier(history, 2u);
  history = history_plus_earlier(history, 4u);
  history = history_plus_earlier(history, 8u);
  history = history_plus_earlier(history, 16u);
  const uint up = lanes_shuffle_up(history, 1u);
  const uint source = history_source(lane == 0u ? kSameHistory : up, is_less ? 0u : min(index, 2u));

  uint offset = min(value - 3u, kZstdHistory - 1u);
  if (!is_new) offset = past_offset(past, min(source, 2u));
  // Those that are one less wait for the lane that has the one before. The first of them waits for none that waits.
  bool waits = is_less && source >= 3u;
  if (is_less && !waits) offset = one_less(offset);
  for (uint waiting = lanes_ballot(waits); lanes_uniform(waiting != 0u); waiting = lanes_ballot(waits)) {
    const uint before = lanes_shuffle(offset, source - 3u);
    if (waits && (waiting >> (source - 3u) & 1u) == 0u) {
      offset = one_less(before);
      waits = false;
    }
  }
  const uint earlier = lanes_shuffle(offset, source - 3u);
  if (repeats && !is_less && source >= 3u) offset = earlier;

  const uint last = lanes_broadcast(history, 31u);
  uvec3 offsets;
  [[unroll]] for (uint slot = 0u; slot < 3u; ++slot) {
    const uint from = history_source(last, slot);
    const uint of_batch = lanes_broadcast(offset, from - 3u);
    offsets[slot] = from < 3u ? past_offset(past, from) : of_batch;
  }
  past.offsets = offsets;
  return offset;
}

// ---- blocks ----

// A block and its limits.
struct Block {
  uvec2 records_at, walked_at;
  uint sequences, literals, limit;
};

uint load_walked(Block block, uint number) {
  uint codes = 0u;
  if (number < block.sequences) codes = Words(block.walked_at).at[number];
  return codes;
}

// Makes the records of up to 32 sequences from `number` on. Returns a fault.
uint make_records(Block block, ZstdSpan span, uint codes, uint number, inout Past past) {
  const bool has = number + lanes_lane() < block.sequences;
  const uint bits = lanes_inclusive_add_unrolled(codes >> 25);
  Sequence sequence = sequence_of(span, codes, past.left - int(bits - (codes >> 25)));
  if (!has) sequence = Sequence(0u, 0u, 0u, span.begin);
  ZstdRecord record;
  record.literals_end = past.literals + lanes_inclusive_add_unrolled(sequence.literals);
  record.end = past.bytes + lanes_inclusive_add_unrolled(sequence.literals + sequence.match);
  record.offset = resolve_offsets(past, sequence.value, sequence.literals == 0u);

  const bool is_last = number + lanes_lane() == block.sequences - 1u;
  uint fault = 0u;
  if (sequence.begin < span.begin) fault = kZstdInexact;
  else if (record.literals_end > block.literals) fault = kZstdBadSequences;
  else if (record.end > block.limit || (has && record.offset == 0u)) fault = kZstdInexact;
  else if (is_last && sequence.begin != span.begin) fault = kZstdInexact;
  const uint faults = lanes_ballot(fault != 0u);
  if (lanes_uniform(faults != 0u)) return lanes_broadcast(fault, uint(findLSB(faults)));
  if (has) Words2(block.records_at).at[number + lanes_lane()] = zstd_record_packed(record);
  past.left -= int(lanes_broadcast(bits, 31u));
  past.literals = lanes_broadcast(record.literals_end, 31u);
  past.bytes = lanes_broadcast(record.end, 31u);
  return 0u;
}

// Whether a block has sequences whose walk has come to its end. (Literals were decoded at the same time.)
bool is_walked(Words block) {
  const uint sequences = block.at[kBlockSequences];
  const uint parts = zstd_parts(block.at[kBlockLiteralKind], block.at[kBlockStreams], sequences);
  return sequences != 0u && block.at[kBlockDone] == parts - 1u;
}

void main() {
  fill_values();
  const uint index = workgroup_number() * lanes_group_count() + lanes_group();
  if (lanes_uniform(index >= zstd_blocks())) return;
  Words words = Words(zstd_block_at(index));
  if (lanes_uniform(!is_walked(words) || !zstd_sound(index))) return;
  const ZstdSpan span = zstd_sequence_span(words);
  const ivec3 logs = zstd_sequence_logs(words);
  const Block block = Block(zstd_records_at(words.at[kBlockRecords]), zstd_walked_at(words), words.at[kBlockSequences],
                            words.at[kBlockLiterals], words.at[kBlockLimit]);
  Past past =
      Past(span.end - logs.x - logs.y - logs.z, 0u, 0u, uvec3(kZstdHistory, kZstdHistory + 1u, kZstdHistory + 2u));
  uint fault = span.end < 0 ? kZstdBadSequences : 0u;
  uint next = load_walked(block, lanes_lane());
  for (uint number = 0u; lanes_uniform(number < block.sequences && fault == 0u); number += 32u) {
    const uint codes = next;
    next = load_walked(block, number + 32u + lanes_lane());
    fault = make_records(block, span, codes, number, past);
  }
  const uint size = past.bytes + block.literals - past.literals;
  if (fault == 0u && size > block.limit) fault = kZstdInexact;
  if (lanes_lane() == 0u) {
    words.at[kBlockOffsets] = past.offsets.x;
    words.at[kBlockOffsets + 1u] = past.offsets.y;
    words.at[kBlockOffsets + 2u] = past.offsets.z;
    words.at[kBlockSize] = size;
    zstd_end_part(index, fault);
  }
}
