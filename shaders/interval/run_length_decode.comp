// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of RunLengthDecode, and of IntervalExpand of values of up to 16 bytes: a segment of the outputs is filled
// with the values of their intervals.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH RunLengthDecodePush
#include "interval/run_length_decode.h"
#include "interval/interval_tiles.glsl"

const uint kBatch = kItemBytes < 4u ? 1u : 4u;

#include "interval/interval_store.glsl"

const uint kSymbolWords = kItemBytes < 4u ? 1u : kItemBytes / 4u;
const bool kListsSymbols = kItemBytes <= 4u;  // or else their positions in the tile

uvec2 tile_symbols(uvec2 tile_first) { return word64_add(push.symbols, word64_times(tile_first, kItemBytes)); }

// Runs from `present` on are empty, and not read.
uvec4 interval_listed(uvec2 tile_first, uint run, uint present) {
  if (!kListsSymbols) return uvec4(run) + uvec4(0u, 1u, 2u, 3u);
  const uvec2 symbols = tile_symbols(tile_first);
  if (kItemBytes == 4u && present == kTileIntervals && (symbols.x & 15u) == 0u) return Words4(symbols).at[run / 4u];
  Words source = Words(uvec2(symbols.x & ~3u, symbols.y));
  uvec4 listed = uvec4(0u);
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    const uint byte = (symbols.x & 3u) + (run + k) * kItemBytes;
    if (run + k < present) listed[k] = source.at[byte >> 2] >> (8u * (byte & 3u));
  }
  // Narrow symbols fill their word.
  if (kItemBytes == 2u) listed = (listed & 0xffffu) * 0x00010001u;
  if (kItemBytes == 1u) listed = (listed & 0xffu) * 0x01010101u;
  return listed;
}

// A word of the symbol that the list has at `at`.
uint symbol_word(uvec2 tile_first, uint at, uint word) {
  const uint listed = weft_list[at];
  return kListsSymbols ? listed : Words(tile_symbols(tile_first)).at[listed * kSymbolWords + word];
}

uvec4 interval_output(IntervalSegment segment, uint which, uint v, bool edge) {
  uint rest;
  uint at = interval_at_vector(v, edge, rest);
  uvec4 words;
  if (kItemBytes >= 4u) {
    [[unroll]] for (uint i = 0; i < 4u; ++i) {
      if (i % kSymbolWords == 0u) at += (rest >> (i / kSymbolWords)) & 1u;
      words[i] = symbol_word(segment.tile_first, at, i % kSymbolWords);
    }
  } else {
    words = uvec4(symbol_word(segment.tile_first, at, 0u));
    // From each further run on, all that follows is its symbol.
    [[dont_unroll]] for (; rest != 0u; rest &= rest - 1u) {
      const int byte = findLSB(rest) * int(kItemBytes);
      const uint symbol = symbol_word(segment.tile_first, ++at, 0u);
      [[unroll]] for (int i = 0; i < 4; ++i) words[i] = bitfieldInsert(symbol, words[i], 0, bits_before(byte, i));
    }
  }
  return words;
}

void main() {
  IntervalSegment segment;
  if (interval_segment_begin(segment)) interval_store(segment, 0u, push.outputs);
}
