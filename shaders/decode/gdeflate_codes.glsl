// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Huffman codes of a page of GDeflate, two at a time: of literals and lengths, and of distances.
//   gdeflate_code_build()   from lengths in shared memory, by all lanes of a group
//   gdeflate_code_find()    a lane, the symbol that its next bits begin with
//
// A code has a table in device memory by its next 10 or 8 bits, two entries a word, and for longer codes its limits in
// shared memory and its symbols, sorted by their codes, in device memory.
#ifndef WEFT_GDEFLATE_CODES_GLSL
#define WEFT_GDEFLATE_CODES_GLSL

#include "weft/lanes.glsl"
#include "decode/page_table.glsl"

const uint kGdeflateCodeBits = 15u;
const uint kGdeflateSymbols = 288u;  // of the first code

// Of a group: 4-bit lengths of both codes, and of the code that describes them; counts of symbols of a length, which
// become positions; of each code, limits and differences (see below).
const uint kGdeflateLengthWords = 40u, kGdeflateHeaderLengths = 8u * kGdeflateLengthWords;
const uint kGdeflateCountsAt = kGdeflateLengthWords + 3u, kGdeflateLimitsAt = kGdeflateCountsAt + 16u;
const uint kGdeflateSharedWords = kGdeflateLimitsAt + 64u;
shared uint weft_gdeflate_shared[kLanesGroupCount * kGdeflateSharedWords];

uint gdeflate_shared() { return lanes_group() * kGdeflateSharedWords; }
uint gdeflate_length(uint index) {
  return weft_gdeflate_shared[gdeflate_shared() + (index >> 3)] >> (4u * (index & 7u)) & 15u;
}

struct GdeflateCode {
  uint table_at, table_bits, sorted_at, limits_at;
};
GdeflateCode gdeflate_code(bool distances) {
  GdeflateCode code;
  code.table_at = distances ? kGdeflateDistanceTable : kGdeflateLiteralTable;
  code.table_bits = distances ? 8u : 10u;
  code.sorted_at = kGdeflateSortedAt + (distances ? kGdeflateSymbols : 0u);
  code.limits_at = gdeflate_shared() + kGdeflateLimitsAt + (distances ? 32u : 0u);
  return code;
}

// An entry of a table: a symbol and, in its low 4 bits, the bits of its code. 0: the bits begin with no such code.
// `code15`: the next 15 bits, the first highest. Codes of a length are below its limit, and above that of the length
// before; the difference is that of their symbols' positions.
uint gdeflate_entry(Words scratch, GdeflateCode code, uint code15, uint length) {
  const uint difference = weft_gdeflate_shared[code.limits_at + 16u + length];
  const uint position = min((code15 >> (kGdeflateCodeBits - length)) + difference, kGdeflateSymbols - 1u);
  return scratch.at[code.sorted_at + position] << 4 | length;
}

// Fills the table.
void gdeflate_table_fill(Words scratch, GdeflateCode code) {
  uint limits[11];
  [[unroll]] for (uint length = 1u; length <= 10u; ++length)
    limits[length] = length <= code.table_bits ? weft_gdeflate_shared[code.limits_at + length] : 0u;
  for (uint word = lanes_lane(); word < 1u << (code.table_bits - 1u); word += 32u) {
    uint both = 0u;
    [[unroll]] for (uint i = 0u; i < 2u; ++i) {
      const uint code15 = bitfieldReverse(2u * word + i) >> (32u - kGdeflateCodeBits);
      uint length = 1u;
      [[unroll]] for (uint shorter = 1u; shorter <= 10u; ++shorter)
        length += shorter <= code.table_bits && code15 >= limits[shorter] ? 1u : 0u;
      if (length <= code.table_bits) both |= gdeflate_entry(scratch, code, code15, length) << (16u * i);
    }
    scratch.at[code.table_at + word] = both;
  }
}

// Builds a code of the `symbols` lengths from `first` on. Returns false unless it is complete, or has no symbols, or
// one, of 1 bit.
bool gdeflate_code_build(Words scratch, bool distances, uint first, uint symbols) {
  const uint lane = lanes_lane();
  const GdeflateCode code = gdeflate_code(distances);
  const uint counts_at = gdeflate_shared() + kGdeflateCountsAt;
  if (lane < 16u) weft_gdeflate_shared[counts_at + lane] = 0u;
  lanes_shared_barrier();
  for (uint symbol = lane; symbol < symbols; symbol += 32u) {
    const uint length = gdeflate_length(first + symbol);
    if (length != 0u) atomicAdd(weft_gdeflate_shared[counts_at + length], 1u);
  }
  lanes_shared_barrier();

  const uint length_of_lane = min(lane, kGdeflateCodeBits);
  const uint count = lane == 0u || lane > kGdeflateCodeBits ? 0u : weft_gdeflate_shared[counts_at + lane];
  const uint codes = count << (kGdeflateCodeBits - length_of_lane);
  const uint limit = lanes_inclusive_add(codes);
  const uint position = lanes_inclusive_add(count);
  const uint total = lanes_broadcast(limit, 31u), used = lanes_broadcast(position, 31u);
  const uint of_one_bit = lanes_broadcast(count, 1u);
  if (lanes_uniform(total != 1u << kGdeflateCodeBits && used != 0u && (used != 1u || of_one_bit != 1u))) return false;
  if (lane < 16u) {
    weft_gdeflate_shared[counts_at + lane] = position - count;
    weft_gdeflate_shared[code.limits_at + lane] = limit;
    weft_gdeflate_shared[code.limits_at + 16u + lane] =
        position - count - (limit - codes >> (kGdeflateCodeBits - length_of_lane));
  }
  lanes_shared_barrier();

  // Symbols of a length in their order: a lane's rank is among the lanes with its length.
  for (uint base = 0u; lanes_uniform(base < symbols); base += 32u) {
    const uint symbol = base + lane;
    const uint length = symbol < symbols ? gdeflate_length(first + symbol) : 0u;
    uint same = ~0u;
    [[unroll]] for (uint bit = 0u; bit < 4u; ++bit) {
      const bool has = (length >> bit & 1u) != 0u;
      const uint with = lanes_ballot(has);
      same &= has ? with : ~with;
    }
    const uint rank = bitCount(same & lanes_mask_before());
    const uint at = weft_gdeflate_shared[counts_at + length];
    lanes_shared_barrier();
    if (length != 0u) {
      scratch.at[code.sorted_at + min(at + rank, kGdeflateSymbols - 1u)] = symbol;
      if (rank == 0u) weft_gdeflate_shared[counts_at + length] = at + bitCount(same);
    }
    lanes_shared_barrier();
  }
  lanes_buffer_barrier();
  gdeflate_table_fill(scratch, code);
  lanes_buffer_barrier();
  return true;
}

uint gdeflate_code_find(Words scratch, bool distances, uint bits) {
  const GdeflateCode code = gdeflate_code(distances);
  const uint slot = bits & (1u << code.table_bits) - 1u;
  uint entry = scratch.at[code.table_at + (slot >> 1)] >> (16u * (slot & 1u)) & 0xffffu;
  if (entry == 0u) {
    const uint code15 = bitfieldReverse(bits) >> (32u - kGdeflateCodeBits);
    uint length = 9u;
    [[unroll]] for (uint shorter = 9u; shorter <= kGdeflateCodeBits; ++shorter)
      length += code15 >= weft_gdeflate_shared[code.limits_at + shorter] ? 1u : 0u;
    if (length <= kGdeflateCodeBits) entry = gdeflate_entry(scratch, code, code15, length);
  }
  return entry;
}

#endif
