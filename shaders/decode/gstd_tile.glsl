// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Gstd's decoder: a group of 32 lanes decodes a tile (docs/gstd-format.md, chapter Tiles).
//   gstd_tile_header()   reads the first word, so that the caller has the filter (gstd_header.glsl)
//   gstd_tile_decode()   decodes all but the filter into device memory and returns the verdict
// gstd_filters.glsl inverts the filters. After gstd_tile_decode() all lanes of the group see the bytes, so that a
// user's shader can go on with them.
//
// An includer may define WEFT_GSTD_WORK, the word of scratch where a block's records begin, WEFT_GSTD_IN_PLACE, whether
// literals lie in the output, and WEFT_GSTD_BLOCK_COPY, what becomes of a block after its second step, to measure steps
// by themselves.
//
// A block is decoded in three steps, each by all lanes:
//   1. Sequences, one a lane, in batches of up to 32. A record of each goes to device memory.
//   2. Literals, up to 16 a lane and round, to device memory.
//   3. The output, a window of up to 64 records at a time (weft/lz_copy.glsl).
//
// Any words are allowed: the decoder reads no other source, writes nothing outside of the output's words,
// bounds every loop by checked sizes and returns the scalar decoder's verdict.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow. With native subgroups of 32 lanes or
// more, each group may have a tile of another size. Shared memory of a group: 2 KiB.
#ifndef WEFT_GSTD_TILE_GLSL
#define WEFT_GSTD_TILE_GLSL

#include "weft/lanes.glsl"

// The address of a group's scratch: its tables, then the records of a block.
uvec2 weft_gstd_scratch;
// The address of a block's literals, and the last of its words that has any. They lie at the end of the block's output,
// or in scratch after the records.
uvec2 weft_gstd_literals;
uint weft_gstd_last_literals;
uint weft_gstd_skew;  // always 0: compilers that do not know make faster code of lz_copy()
#define WEFT_LZ_LITERALS(WORD) Words(weft_gstd_literals).at[min(WORD, weft_gstd_last_literals)]
#include "weft/lz_copy.glsl"

// Tables are built in the window, but for its first word: between calls, the others are 0.
#define WEFT_GSTD_MAKING weft_lz_window
uint gstd_making() { return lz_window() + 1u; }

#include "decode/gstd_decode.h"
#include "decode/gstd_header.glsl"
#include "decode/gstd_tables.glsl"

#ifndef WEFT_GSTD_WORK
#define WEFT_GSTD_WORK kGstdTableWords
#define WEFT_GSTD_IN_PLACE true
#define WEFT_GSTD_BLOCK_COPY gstd_block_copy
#endif

const uint kGstdMaxTileBytes = 1u << 20;
const uint kGstdRepeats = 3u;
const uint kGstdSequenceWork = 8u;
const uint kGstdInPlaceMatches = 8u;  // bytes of a block's matches, so that literals lie in its output

// While sequences are read, the list of segments holds the last offsets that were not repeated: those that a batch may
// repeat, its own, and those of the next batch, which may be written already.
uint gstd_offset_at(uint number) { return lanes_group() * kLzSegments + (number & (kLzSegments - 1u)); }

// ---- what is known of a tile and of a block ----

struct GstdTile {
  LaneWords words;
  LaneBits bits;
  uint state;
  uint lanes;  // that decode
  bool decodes;
  uint bytes;    // of output
  uint done;     // bytes of output before the block
  uint repeats;  // of each of the first kGstdRepeats lanes, the oldest first: an offset that a sequence may repeat
  uint reason;   // why the tile is refused, or 0
  uint map;      // the code of each context, 2 bits each
  uint known;    // of tables, of the block's header and of lengths: see below
};

// Bits of GstdTile.known, each from where it begins: whether there are codes of literals, fields with a table (4 bits),
// the number of low bits of offsets (2), whether the block's header is a word, whether lengths are fine, and whether
// repeats move.
const int kGstdHasCodes = 0, kGstdHasFields = 1, kGstdLowBits = 5, kGstdShort = 7, kGstdFineLengths = 8,
          kGstdMovesRepeats = 9;

// The two words of a block's header, and what is in them.
struct GstdBlock {
  uint first, second;
};
uint gstd_size(GstdBlock block) { return (block.first & 0x1ffffu) + 1u; }
uint gstd_literals_mode(GstdBlock block) { return block.first >> 17 & 3u; }
uint gstd_modes(GstdBlock block) { return block.first >> 19 & 255u; }  // of fields, 2 bits for each
bool gstd_uses_low_bits(GstdBlock block) { return (block.first >> 25 & 3u) != 0u; }
uint gstd_low_bits(GstdBlock block) { return (block.first >> 27 & 1u) + 2u; }
uint gstd_set(GstdBlock block) { return block.first >> 28; }  // of the models that describe own codes
uint gstd_sequences(GstdBlock block) { return block.second & 0x3fffu; }
uint gstd_codes(GstdBlock block) { return (block.second >> 14 & 3u) + 1u; }  // that are described
uint gstd_map(GstdBlock block) { return block.second >> 16; }
// Whether the block may have these codes.
bool gstd_codes_valid(GstdBlock block) {
  const uint codes = gstd_codes(block), map = gstd_map(block);
  if (gstd_literals_mode(block) != 1u)
    return gstd_literals_mode(block) != 3u && codes == 1u && map == 0u && gstd_set(block) == 0u;
  const uint high = map >> 1 & 0x5555u, low = map & 0x5555u;
  return (codes > 1u || low == 0u) && (codes > 2u || high == 0u) && (codes > 3u || (high & low) == 0u);
}

// A sequence's record: the literals and the bytes of the block up to its end, and its offset. After the last sequence
// comes a record of the literals after it.
struct GstdRecord {
  uint literals_end, end, offset;
};
void gstd_record_store(uint index, GstdRecord record) {
  Words scratch = Words(weft_gstd_scratch);
  const uint at = WEFT_GSTD_WORK + 2u * index;
  scratch.at[at] = record.literals_end & 0x1ffffu | record.end << 17;
  scratch.at[at + 1u] = record.offset | record.end >> 15 << 20;
}
GstdRecord gstd_record_load(uint index) {
  Words scratch = Words(weft_gstd_scratch);
  const uint at = WEFT_GSTD_WORK + 2u * index;
  const uvec2 packed = uvec2(scratch.at[at], scratch.at[at + 1u]);
  return GstdRecord(packed.x & 0x1ffffu, packed.x >> 17 | packed.y >> 20 << 15, packed.y & 0xfffffu);
}
// The word of scratch after the records.
uint gstd_literals_apart(GstdBlock block) { return WEFT_GSTD_WORK + 2u * (gstd_sequences(block) + 1u) + 1u; }
// Places a block's literals, and returns the byte where they begin. In the output they end in the word of its last byte
// and begin a word, so they are at most three bytes before where they belong: a window that ends three bytes after a
// word stores none that is still to be read.
uint gstd_literals_place(GstdTile tile, GstdBlock block, uint literals, uvec2 output_at) {
  const uint words = (literals + 3u) / 4u;
  const bool in_place = WEFT_GSTD_IN_PLACE && gstd_size(block) >= literals + kGstdInPlaceMatches;
  const uint at = in_place ? (tile.done + gstd_size(block) + 3u) / 4u - words : gstd_literals_apart(block);
  weft_gstd_literals = in_place ? output_at : weft_gstd_scratch;
  weft_gstd_last_literals = at + words - 1u;
  return 4u * at;
}

// ---- headers and tables ----

// Reads a block's header and checks it. A short one has the second word's lower bits where the first has the size.
GstdBlock gstd_block_header(inout GstdTile tile, bool is_last) {
  GstdBlock block;
  block.first = lane_words_uniform(tile.words);
  block.second = block.first & 0x1ffffu;
  if (lanes_uniform(bitfieldExtract(tile.known, kGstdShort, 1) != 0u)) {
    block.first = bitfieldInsert(block.first, tile.bytes - 1u, 0, 17);
  } else {
    block.second = lane_words_uniform(tile.words);
  }
  const uint modes = gstd_modes(block), size = gstd_size(block), sequences = gstd_sequences(block);
  const uint left = tile.bytes - tile.done;
  if (lane_words_truncated(tile.words)) {
    tile.reason = kGstdTruncated;
  } else if (is_last ? size != left : size >= left) {
    tile.reason = kGstdBadHeader;
  } else if (sequences > min(size / 3u, WEFT_GSTD_BLOCK_WORK / kGstdSequenceWork)) {
    tile.reason = kGstdBadSequence;
  } else if (!gstd_codes_valid(block)) {
    tile.reason = kGstdBadHeader;
  } else if (gstd_literals_mode(block) == 2u && bitfieldExtract(tile.known, kGstdHasCodes, 1) == 0u) {
    tile.reason = kGstdBadTable;
  } else if ((gstd_low_bits(block) != 2u && !gstd_uses_low_bits(block)) || (sequences == 0u && modes != 0u)) {
    tile.reason = kGstdBadHeader;
  }
  return block;
}

// Reads and builds the codes of literals that the block describes.
void gstd_block_codes(inout GstdTile tile, GstdBlock block) {
  Words tables = Words(weft_gstd_scratch);
  tile.map = gstd_map(block);
  for (uint code = 0u; lanes_uniform(code < gstd_codes(block) && tile.reason == 0u); ++code) {
    gstd_lengths_read(tables, tile.words, tile.bits, tile.state, tile.lanes, gstd_set(block));
    if (lanes_uniform(lane_words_truncated(tile.words))) {
      tile.reason = kGstdTruncated;
    } else if (lanes_uniform(!gstd_code_build(tables, code, tile.map))) {
      tile.reason = kGstdBadTable;
    }
    tile.known = bitfieldInsert(tile.known, 1u, kGstdHasCodes, 1);
  }
}

// Bit i of the fields' modes, of each field.
uint gstd_mode_bits(uint modes, uint i) {
  modes >>= i;
  return (modes & 1u) | (modes >> 1 & 2u) | (modes >> 2 & 4u) | (modes >> 3 & 8u);
}

// Reads and builds the tables of fields.
void gstd_block_fields(inout GstdTile tile, GstdBlock block) {
  Words tables = Words(weft_gstd_scratch);
  uint has_fields = bitfieldExtract(tile.known, kGstdHasFields, 4);
  uint own = gstd_mode_bits(gstd_modes(block), 0u);
  const uint other = gstd_mode_bits(gstd_modes(block), 1u);
  const uint sparse = own & other, previous = other & ~own & has_fields, rare = other & ~own & ~has_fields;
  own |= rare;
  uint low_bits = bitfieldExtract(tile.known, kGstdLowBits, 2);
  if (lanes_uniform(own != 0u))
    gstd_fields_read(tables, tile.words, tile.bits, tile.state, tile.lanes, own, sparse, rare);
  if (lane_words_truncated(tile.words)) tile.reason = kGstdTruncated;
  if (lanes_uniform(tile.reason != 0u || gstd_sequences(block) == 0u)) return;
  for (uint f = 0u; lanes_uniform(f < 4u && tile.reason == 0u); ++f) {
    const bool described = (own >> f & 1u) != 0u;
    const bool known = !described && ((previous >> f & 1u) != 0u || f == kGstdLB);
    if (lanes_uniform(!known)) {
      const bool fine = bitfieldExtract(tile.known, kGstdFineLengths, 1) != 0u;
      if (!gstd_field_build(tables, f, !described, fine)) tile.reason = kGstdBadTable;
    }
  }
  if (lanes_uniform(tile.reason != 0u)) return;
  if ((own & 8u) != 0u) {
    low_bits = gstd_low_bits(block);
    for (uint symbol = 4u; low_bits == 2u && symbol < WEFT_LOOP_END(8u); ++symbol)
      if (gstd_field_has(tables, kGstdLB, symbol)) tile.reason = kGstdBadTable;
  }
  if (gstd_uses_low_bits(block)) {
    if (low_bits != gstd_low_bits(block)) tile.reason = kGstdBadTable;
    has_fields |= 8u;
  }
  tile.known = bitfieldInsert(tile.known, has_fields | 7u | low_bits << 4, kGstdHasFields, 6);
}

// ---- step 1: sequences ----

struct GstdSequence {
  uint literals, match, offset;
  bool repeats;  // offset: which of the last ones
};

// Decodes a sequence in each lane that `has` one; others have an empty one.
GstdSequence gstd_sequence_read(inout GstdTile tile, GstdBlock block, bool has) {
  Words tables = Words(weft_gstd_scratch);
  uint ll = 0u, of = 0u, ml = 0u, lb = 0u;
  lane_words_refill(tile.words, tile.bits, has, 3u * kLaneRansLog);
  if (has) {
    ll = gstd_field_decode(tables, kGstdLL, tile.state, tile.bits);
    of = gstd_field_decode(tables, kGstdOF, tile.state, tile.bits);
    ml = gstd_field_decode(tables, kGstdML, tile.state, tile.bits);
  }
  const uint offset_bits = of & 31u;
  uint high_bits = offset_bits;
  if (lanes_uniform(gstd_uses_low_bits(block))) {
    const bool has_low = has && offset_bits >= gstd_low_bits(block);
    lane_words_refill_rarely(tile.words, tile.bits, has_low, kLaneRansLog);
    if (has_low) {
      lb = gstd_field_decode(tables, kGstdLB, tile.state, tile.bits) >> 5;
      high_bits -= gstd_low_bits(block);
    }
  }
  lane_words_refill_rarely(tile.words, tile.bits, has, high_bits);
  const uint high = lane_bits_take(tile.bits, high_bits);
  const uint literal_bits = ll & 31u, match_bits = ml & 31u;
  lane_words_refill_rarely(tile.words, tile.bits, has, literal_bits + match_bits);
  const uint literal_low = lane_bits_take(tile.bits, literal_bits);
  const uint match_low = lane_bits_take(tile.bits, match_bits);
  GstdSequence sequence;
  sequence.literals = (ll >> 5 << literal_bits) + literal_low;
  sequence.match = has ? (ml >> 5 << match_bits) + match_low + 3u : 0u;
  sequence.repeats = (of >> 11) != 0u;
  const uint above = of >> 5 & 63u;
  sequence.offset =
      sequence.repeats ? above : (above << offset_bits) + ((high << (offset_bits - high_bits)) | lb);
  return sequence;
}

// Where repeats move, the repeat of the only lane's sequence goes to the end of the list of `offsets`, which makes it
// the first, and those after it come before it. A sequence without literals has the first as the symbol 2.
void gstd_repeat_move(inout GstdSequence sequence, uint offsets) {
  const uint lane = lanes_lane();
  const uint position = sequence.literals != 0u ? sequence.offset : sequence.offset == 2u ? 0u : sequence.offset + 1u;
  const uint used = lanes_broadcast(sequence.repeats ? position : 0u, 0u);
  const uint from = lane == 0u ? used : lane <= used ? lane - 1u : lane;
  lanes_shared_barrier();
  const uint moved = weft_lz_segments[gstd_offset_at(offsets - 1u - from)].x;
  lanes_shared_barrier();
  if (lane < kGstdRepeats) weft_lz_segments[gstd_offset_at(offsets - 1u - lane)].x = moved;
  lanes_shared_barrier();
  if (sequence.repeats) sequence.offset = 0u;
}

// Reads a block's sequences and stores their records. Returns the number of the block's literals.
uint gstd_block_sequences(inout GstdTile tile, GstdBlock block) {
  const uint lane = lanes_lane();
  const uint sequences = gstd_sequences(block), size = gstd_size(block);
  GstdRecord done = GstdRecord(0u, 0u, 1u);
  const bool moves = lanes_uniform(bitfieldExtract(tile.known, kGstdMovesRepeats, 1) != 0u);
  uint offsets = kGstdRepeats;  // that were not repeated
  if (lane < kGstdRepeats) weft_lz_segments[gstd_offset_at(lane)].x = tile.repeats;
  for (uint first = 0u; lanes_uniform(first < sequences); first += tile.lanes) {
    const bool has = tile.decodes && first + lane < sequences;
    GstdSequence sequence = gstd_sequence_read(tile, block, has);
    if (moves) gstd_repeat_move(sequence, offsets);

    // A repeated offset is one of the last that are not, counted from the sequence on.
    const bool is_new = has && !sequence.repeats;
    const uint fresh = lanes_ballot(is_new);
    const uint number = offsets + bitCount(fresh & lanes_mask_before());
    if (is_new) weft_lz_segments[gstd_offset_at(number)].x = sequence.offset;
    lanes_shared_barrier();
    uint offset = sequence.offset;
    if (!is_new) offset = weft_lz_segments[gstd_offset_at(number - 1u - sequence.offset)].x;
    offsets += bitCount(fresh);

    GstdRecord record;
    record.literals_end = done.literals_end + lanes_inclusive_add_unrolled(sequence.literals);
    record.end = done.end + lanes_inclusive_add_unrolled(sequence.literals + sequence.match);
    record.offset = offset;
    done.literals_end = lanes_broadcast(record.literals_end, 31u);
    done.end = lanes_broadcast(record.end, 31u);
    // A truncated tile comes first: words past the last are read as 0 and cause other faults.
    const bool too_far = lanes_any(has && offset > tile.done + record.end - sequence.match);
    if (lanes_uniform(too_far || done.end > size || lane_words_truncated(tile.words))) {
      tile.reason = lane_words_truncated(tile.words) ? kGstdTruncated
                    : done.end > size                ? kGstdBadLength
                                                     : kGstdBadOffset;
      return 0u;
    }
    if (has) gstd_record_store(first + lane, record);
  }
  if (lane < kGstdRepeats) tile.repeats = weft_lz_segments[gstd_offset_at(offsets - kGstdRepeats + lane)].x;
  done.literals_end += size - done.end;
  done.end = size;
  if (done.literals_end + kGstdInPlaceMatches > size &&
      done.literals_end + kGstdSequenceWork * sequences > WEFT_GSTD_BLOCK_WORK) {
    tile.reason = kGstdBadLength;
  } else if (lane == 0u) {
    gstd_record_store(sequences, done);
  }
  lanes_buffer_barrier();
  return done.literals_end;
}

// The states become the next bits of their lanes.
void gstd_release(inout GstdTile tile) {
  if (lanes_any(tile.decodes && tile.bits.count > 64u - kLaneStateLog)) tile.reason = kGstdBadFinalState;
  if (!tile.decodes) return;
  tile.bits.low = tile.bits.low >> kLaneStateLog | tile.bits.high << (32u - kLaneStateLog);
  tile.bits.high = tile.bits.high >> kLaneStateLog | tile.state << (32u - kLaneStateLog);
  tile.bits.count += kLaneStateLog;
}

// ---- step 2: literals ----

// Decodes the next two of a lane's `own` literals, to two bytes.
uint gstd_literals_read(inout GstdTile tile, bool is_coded, uint own, inout uint code) {
  Words tables = Words(weft_gstd_scratch);
  const uint longest = is_coded ? kGstdMaxCodeBits : 8u;
  lane_words_refill(tile.words, tile.bits, own != 0u, own > 1u ? 2u * longest : longest);
  const uint one = gstd_literal_decode(tables, is_coded, own > 0u, code, tile.bits);
  return one | gstd_literal_decode(tables, is_coded, own > 1u, code, tile.bits) << 8;
}

// Decodes the next of a lane's last literals in a tile, up to four. Before each, a lane takes a byte, twice, if its
// literal needs it: if the code at the front of its bits, followed by zeros, is longer than they are. `bytes`: taken.
uint gstd_last_literals_read(inout GstdTile tile, bool is_coded, uint own, inout uint code, inout uint bytes) {
  Words tables = Words(weft_gstd_scratch);
  uint word = 0u;
  for (uint i = 0u; i < WEFT_LOOP_END(8u); ++i) {
    const bool has = i / 2u < own;
    const uint need = gstd_literal_entry(tables, is_coded, code, tile.bits) & 15u;
    lane_bytes_refill(tile.words, tile.bits, has, need, bytes);
    if (i % 2u != 0u) word |= gstd_literal_decode(tables, is_coded, has, code, tile.bits) << (4u * i - 4u);
  }
  return word;
}

// Decodes a block's literals, in rounds.
void gstd_block_literals(inout GstdTile tile, GstdBlock block, uint literals, uint literals_at, bool is_last) {
  Words to = Words(weft_gstd_literals);
  const bool is_coded = lanes_uniform(gstd_literals_mode(block) != 0u);
  const uint lanes_log = uint(findMSB(tile.lanes));
  const uint most = 4u << lanes_log;  // words of a round
  for (uint first = 0u; lanes_uniform(first < literals && tile.reason == 0u);) {
    const uint left = (literals - first + 3u) / 4u;
    const uint round = min(literals - first, 4u * (((left - 1u) & (most - 1u)) + 1u));
    const uint words = (round + (4u << lanes_log) - 1u) >> (lanes_log + 2u);  // of each lane
    const uint last = is_last && first + round == literals ? min(words, 2u) : 0u;
    const uint own_first = 4u * words * lanes_lane();
    uint own = tile.decodes ? min(4u * words, max(round, own_first) - own_first) : 0u;
    const uint at = (literals_at + first + own_first) >> 2;
    uint code = gstd_code_of(tile.map, gstd_literal_context(0u));
    for (uint w = 0u; lanes_uniform(w + last < words); ++w) {
      uint word = gstd_literals_read(tile, is_coded, own, code);
      word |= gstd_literals_read(tile, is_coded, max(own, 2u) - 2u, code) << 16;
      if (own != 0u) to.at[at + w] = word;
      own = max(own, 4u) - 4u;
    }
    uint bytes = 0u;
    for (uint w = words - last; lanes_uniform(w < words); ++w) {
      const uint word = gstd_last_literals_read(tile, is_coded, own, code, bytes);
      if (own != 0u) to.at[at + w] = word;
      own = max(own, 4u) - 4u;
    }
    if (lanes_uniform(last != 0u)) lane_bytes_end(tile.words, tile.bits, bytes);
    first += round;
    if (lane_words_truncated(tile.words)) tile.reason = kGstdTruncated;
  }
  lanes_buffer_barrier();
}

// ---- step 3: output ----

// The sequence between two records.
LzSequence gstd_sequence_between(GstdRecord before, GstdRecord record, uint literals_at, uint begin) {
  LzSequence sequence;
  sequence.begin = begin + before.end;
  sequence.match = sequence.begin + record.literals_end - before.literals_end;
  sequence.end = begin + record.end;
  sequence.offset = record.offset;
  sequence.literals = literals_at + before.literals_end - sequence.begin;
  return sequence;
}

// Writes the output of a block, which begins at `begin` in `target`, a window of up to 64 sequences at a time.
void gstd_block_copy(GstdBlock block, uint literals_at, Words target, uint begin) {
  const uint sequences = gstd_sequences(block);
  const uint end = begin + gstd_size(block);
  uint first = 0u;  // record that is not yet written to its end
  for (uint from = begin; lanes_uniform(from < end);) {
    // Behind the last record are empty sequences.
    const uint own = first + 2u * lanes_lane();
    GstdRecord before = GstdRecord(0u, 0u, 0u);
    if (own != 0u) before = gstd_record_load(min(own - 1u, sequences));
    const GstdRecord middle = gstd_record_load(min(own, sequences));
    const GstdRecord last = gstd_record_load(min(own + 1u, sequences));
    const LzSequence one = gstd_sequence_between(before, middle, literals_at, begin);
    const LzSequence two = gstd_sequence_between(middle, last, literals_at, begin);
    uint to = min(lanes_broadcast(two.end, 31u), lz_window_end(from));
    if (to != end) to = ((to + 1u) & ~3u) - 1u;
    lz_copy(target, weft_gstd_skew, one, two, from, to);
    first += bitCount(lanes_ballot(one.end <= to)) + bitCount(lanes_ballot(two.end <= to));
    from = to;
  }
}

// ---- a tile ----

// Decodes `count` words at `source` to `bytes` bytes at `output_at`, but leaves the filter. Both are aligned to 4, and
// the output's last word is its own. `scratch`: the group's WEFT_GSTD_BLOCK_WORK + WEFT_GSTD_BESIDE_WORK bytes, aligned
// to 4. Returns 0, or a verdict and from bit 8 the word where it was detected, to all lanes of the group.
uint gstd_tile_decode(uvec2 source, uint count, uvec2 output_at, uint bytes, uvec2 scratch) {
  const uint lane = lanes_lane();
  GstdTile tile;
  tile.words = lane_words_begin(source, count);
  tile.bits = LaneBits(0u, 0u, 0u);
  tile.state = 1u << kLaneStateLog;
  const GstdTileHeader header = gstd_tile_header(lane_words_uniform(tile.words));
  if (lanes_uniform(lane_words_truncated(tile.words))) return kGstdTruncated | count << 8;
  if (lanes_uniform(!header.valid || bytes == 0u || bytes > kGstdMaxTileBytes))
    return kGstdBadHeader | tile.words.position << 8;
  if (lanes_uniform(header.has_rows)) {
    const uint row_words = lane_words_uniform(tile.words);
    if (lanes_uniform(lane_words_truncated(tile.words))) return kGstdTruncated | count << 8;
    if (lanes_uniform(row_words - 1u >= (bytes - 1u) / 4u)) return kGstdBadHeader | tile.words.position << 8;
  }
  tile.lanes = header.lanes;
  tile.decodes = lane < header.lanes;
  lane_words_refill(tile.words, tile.bits, tile.decodes, kLaneStateLog);
  if (lanes_uniform(lane_words_truncated(tile.words))) return kGstdTruncated | count << 8;
  if (tile.decodes) tile.state |= lane_bits_take(tile.bits, kLaneStateLog);
  weft_gstd_scratch = scratch;
  tile.bytes = bytes;
  tile.done = 0u;
  tile.repeats = lane == 0u ? 8u : lane == 1u ? 4u : 1u;
  tile.reason = 0u;
  tile.map = 0u;
  tile.known = (header.is_short ? 1u << kGstdShort : 0u) | (header.fine_lengths ? 1u << kGstdFineLengths : 0u) |
               (header.moves_repeats ? 1u << kGstdMovesRepeats : 0u);

  weft_gstd_skew = output_at.x & 3u;
  Words target = Words(output_at);
  lz_begin();
  for (uint b = 0u; lanes_uniform(b < header.blocks && tile.reason == 0u); ++b) {
    const bool is_last = b + 1u == header.blocks;
    const GstdBlock block = gstd_block_header(tile, is_last);
    if (lanes_uniform(tile.reason != 0u)) break;
    if (lanes_uniform(gstd_literals_mode(block) == 1u)) gstd_block_codes(tile, block);
    if (lanes_uniform(tile.reason != 0u)) break;
    gstd_block_fields(tile, block);
    if (lanes_uniform(tile.reason != 0u)) break;
    const uint literals = gstd_block_sequences(tile, block);
    if (lanes_uniform(tile.reason == 0u && is_last && header.releases)) gstd_release(tile);
    if (lanes_uniform(tile.reason != 0u)) break;
    const uint literals_at = gstd_literals_place(tile, block, literals, output_at);
    gstd_block_literals(tile, block, literals, literals_at, is_last);
    if (lanes_uniform(tile.reason != 0u)) break;
    WEFT_GSTD_BLOCK_COPY(block, literals_at, target, tile.done);
    tile.done += gstd_size(block);
    lane_words_fetch(tile.words);  // copying needs the registers
  }

  if (lanes_uniform(tile.reason == 0u)) {
    // Final states and padding.
    const bool states_left = lanes_any(tile.decodes && tile.state != 1u << kLaneStateLog);
    const bool bits_left = lanes_any((tile.bits.high | tile.bits.low) != 0u);
    tile.reason = !header.releases && states_left             ? kGstdBadFinalState
                  : bits_left || tile.words.position != count ? kGstdBadPadding
                                                              : 0u;
  }
  if (lanes_uniform(tile.reason != 0u))
    return tile.reason | (tile.reason == kGstdTruncated ? count : tile.words.position) << 8;

  lz_end(target, output_at.x & 3u, bytes);
  return 0u;
}

#endif
