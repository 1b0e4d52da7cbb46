// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Up to 16 bytes from any address to any other. Of memory, words are read that have one of the bytes, and no others;
// words that others may be writing other bytes of are merged by atomics.
#ifndef WEFT_UNALIGNED_GLSL
#define WEFT_UNALIGNED_GLSL

#include "weft/buffers.glsl"
#include "weft/word64.glsl"

// The 16 bytes from `source` on.
uvec4 load_16_bytes(uvec2 source) {
  if ((source.x & 15u) == 0u) return Words4(source).at[0];
  Words words = Words(uvec2(source.x & ~3u, source.y));
  const uint shift = 8u * (source.x & 3u);
  uvec4 bytes = uvec4(words.at[0], words.at[1], words.at[2], words.at[3]);
  if (shift != 0u)
    bytes = (bytes >> shift) | (uvec4(bytes.yzw, words.at[4]) << (32u - shift));
  return bytes;
}

// A mask of the bytes [from, to) of a word; both may lie outside.
uint bytes_mask(int from, int to) {
  const int begin = 8 * clamp(from, 0, 4);
  const int end = 8 * clamp(to, 0, 4);
  return bitfieldInsert(0u, ~0u, 0, end) & ~bitfieldInsert(0u, ~0u, 0, begin);
}

// Bytes [from, to) of the 4 from `source` on, in their positions: 0 <= from < to <= 4.
uint load_bytes(uvec2 source, int from, int to) {
  const int phase = int(source.x & 3u);
  Words words = Words(uvec2(source.x & ~3u, source.y));
  uint bytes = 0u;
  if (from + phase < 4) bytes = words.at[0] >> (8 * phase);
  if (to + phase > 4) bytes |= words.at[1] << (32 - 8 * phase);
  return bytes;
}

// Copies `number` bytes, at most 16.
void copy_bytes(uvec2 source, uvec2 target, uint number) {
  const int phase = int(target.x & 3u);
  Words words = Words(uvec2(target.x & ~3u, target.y));
  const uvec2 first = word64_subtract(source, uvec2(uint(phase), 0u));
  // Of the target, from the word in which it begins on; all loads first.
  uint bytes[5];
  [[unroll]] for (int i = 0; i < 5; ++i) {
    const int from = max(phase - 4 * i, 0);
    const int to = min(phase + int(number) - 4 * i, 4);
    bytes[i] = 0u;
    if (from < to) bytes[i] = load_bytes(word64_add(first, uint(4 * i)), from, to);
  }
  [[unroll]] for (int i = 0; i < 5; ++i) {
    const int from = max(phase - 4 * i, 0);
    const int to = min(phase + int(number) - 4 * i, 4);
    if (from < to) merge_word(words, uint(i), bytes[i], bytes_mask(from, to));
  }
}

#endif
