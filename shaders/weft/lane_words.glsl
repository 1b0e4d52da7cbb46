// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One stream of words, from which 32 lanes fill a queue of bits each (docs/gstd-format.md, "Words and
// lanes"): lanes that run short take words in the order of lanes, so that a ballot and a prefix count give
// each which is its own. In steps:
//   lane_words_begin()     the group, once
//   lane_words_uniform()   one word for all lanes
//   lane_words_take()      one word for each lane that wants one
//   lane_words_refill()    for lanes with fewer than n bits, one word; lane_words_refill_rarely() too
//   lane_bytes_refill()    for lanes with fewer than n bits, one byte, if no more words are taken; lane_bytes_end()
//   lane_bits_take()       a lane, from its own queue
// and a rANS decoder whose states are fed from those queues: lane_rans_advance().
//
// Words are fetched ahead: each lane holds one of the 32 words around the read position, one of the next 32, and one of
// those after them, which are on their way and not waited for. What is read past the last word is 0;
// lane_words_truncated() returns that it was.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow where lanes.glsl asks
// for it; a group's lanes have the same read position. lane_bits_take() and lane_rans_advance() may be
// called by any lane, at any time.
//
// An includer that has shaderInt64 may define WEFT_LANE_WORDS_INT64: pairs of words are then shifted as numbers of 64
// bits, which NVIDIA's compiler does in one instruction.
#ifndef WEFT_LANE_WORDS_GLSL
#define WEFT_LANE_WORDS_GLSL

#include "weft/buffers.glsl"
#include "weft/lanes.glsl"

#ifdef WEFT_LANE_WORDS_INT64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// The low word of a pair, low first, shifted right, and the high word of one shifted left, by up to 31 bits.
uint words_shifted_right(uvec2 pair, uint bits) { return uint(packUint2x32(pair) >> bits); }
uint words_shifted_left(uvec2 pair, uint bits) { return unpackUint2x32(packUint2x32(pair) << bits).y; }
#else
uint words_shifted_right(uvec2 pair, uint bits) { return pair.x >> bits | (pair.y << 1) << (31u - bits); }
uint words_shifted_left(uvec2 pair, uint bits) { return pair.y << bits | (pair.x >> 1) >> (31u - bits); }
#endif

// 0, which no compiler can prove: loops whose bound it is added to stay loops. Code that does not fit into instruction
// caches costs more than its branches.
#define WEFT_LOOP_END(COUNT) ((COUNT) + gl_NumWorkGroups.z - 1u)

struct LaneWords {
  Words source;
  uint count;     // of words there are
  uint position;  // of the next, the same for all lanes
  uint ready, ahead, pending;
};

// Bits before `count` come from the top of `high` on, then of `low`; after them, all are 0.
struct LaneBits {
  uint high, low;
  uint count;
};

uint lane_words_at(LaneWords words, uint position) {
  uint word = 0u;
  if (position < words.count) word = words.source.at[position];
  return word;
}

// Fetches the words around the read position: what the words held before is not used.
void lane_words_fetch(inout LaneWords words) {
  const uint own = (words.position & ~31u) + lanes_lane();
  words.ready = lane_words_at(words, own);
  words.ahead = lane_words_at(words, own + 32u);
  words.pending = lane_words_at(words, own + 64u);
}

// `address` is aligned to 4.
LaneWords lane_words_begin(uvec2 address, uint count) {
  LaneWords words;
  words.source = Words(address);
  words.count = count;
  words.position = 0u;
  lane_words_fetch(words);
  return words;
}

// Whether more words were read than there are.
bool lane_words_truncated(LaneWords words) { return words.position > words.count; }

// `taken`, up to 32, words from the read position on have been used.
void lane_words_move(inout LaneWords words, uint taken) {
  const uint before = words.position;
  words.position += taken;
  if (lanes_uniform((words.position ^ before) >= 32u)) {
    words.ready = words.ahead;
    words.ahead = words.pending;
    words.pending = lane_words_at(words, (words.position & ~31u) + 64u + lanes_lane());
  }
}

uint lane_words_uniform(inout LaneWords words) {
  const uint word = lanes_shuffle(words.ready, words.position & 31u);
  lane_words_move(words, 1u);
  return lanes_uniform(word);
}

// Gives each lane that `takes` one its next word, and moves the read position past all of them. `position`: of the
// lane's word. Others have any word.
uint lane_words_take(inout LaneWords words, bool takes, out uint position) {
  const uint takers = lanes_ballot(takes);
  position = words.position + bitCount(takers & lanes_mask_before());
  uint word;
  if (kSubgroupSize < 32u) {
    word = lane_words_at(words, takes ? position : words.count);
  } else {
    const uint at = position - (words.position & ~31u);
    const uint near = lanes_shuffle(words.ready, at);
    const uint behind = lanes_shuffle(words.ahead, at);
    word = at < 32u ? near : behind;
  }
  lane_words_move(words, bitCount(takers));
  return word;
}

// Lanes `taking_part` that have fewer than `need` bits, up to 32, take a word.
void lane_words_refill(inout LaneWords words, inout LaneBits bits, bool taking_part, uint need) {
  const bool takes = taking_part && bits.count < need;
  uint position;
  const uint word = lane_words_take(words, takes, position);
  if (takes) {
    // There are fewer than 32 bits, all of them in `high`.
    bits.high |= word >> bits.count;
    bits.low = words_shifted_right(uvec2(0u, word), bits.count);
    bits.count += 32u;
  }
}

// The same, in less time where no lane takes a word.
void lane_words_refill_rarely(inout LaneWords words, inout LaneBits bits, bool taking_part, uint need) {
  if (lanes_any(taking_part && bits.count < need)) lane_words_refill(words, bits, taking_part, need);
}

// Lanes `taking_part` that have fewer than `need` bits, up to 24, take a byte of the words from the read position on,
// of which `bytes` have been taken. lane_bytes_end() follows before any word is taken.
void lane_bytes_refill(LaneWords words, inout LaneBits bits, bool taking_part, uint need, inout uint bytes) {
  const bool takes = taking_part && bits.count < need;
  const uint takers = lanes_ballot(takes);
  const uint at = bytes + bitCount(takers & lanes_mask_before());
  bytes += bitCount(takers);
  if (takes) {
    bits.high |= (lane_words_at(words, words.position + at / 4u) >> 8u * (at & 3u) & 255u) << (24u - bits.count);
    bits.count += 8u;
  }
}

// Moves the read position past the word of the last of `bytes` bytes. The rest of that word goes to each lane's bits,
// which are checked to be 0.
void lane_bytes_end(inout LaneWords words, inout LaneBits bits, uint bytes) {
  bits.low |= lane_words_at(words, words.position + bytes / 4u) >> 8u * (bytes & 3u);
  words.position += (bytes + 3u) / 4u;
}

// The first `count` bits, up to 31, as a number; they are there.
uint lane_bits_take(inout LaneBits bits, uint count) {
  const uint value = (bits.high >> 1) >> (31u - count);
  bits.high = words_shifted_left(uvec2(bits.low, bits.high), count);
  bits.low <<= count;
  bits.count -= count;
  return value;
}

const uint kLaneRansLog = 9u;
const uint kLaneRansSlots = 1u << kLaneRansLog;
const uint kLaneStateLog = 12u;

uint lane_rans_slot(uint state) { return state & (kLaneRansSlots - 1u); }

// Goes on from a state whose symbol has `frequency`, 1 to 512, and begins at slot `base`; takes up to 9 bits.
void lane_rans_advance(inout uint state, inout LaneBits bits, uint frequency, uint base) {
  const uint next = frequency * (state >> kLaneRansLog) + lane_rans_slot(state) - base;
  const uint count = kLaneStateLog - uint(findMSB(next));
  state = (next << count) | lane_bits_take(bits, count);
}

#endif
