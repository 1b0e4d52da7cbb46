// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Stores a segment of outputs as vectors of 16 bytes. A kernel defines
//   uvec4 interval_output(IntervalSegment segment, uint which, uint v, bool edge)   vector v of its array `which`
// and calls interval_store() for each of its arrays. It also has the constant kBatch: how many vectors a lane makes
// before it stores them.
#ifndef WEFT_INTERVAL_STORE_GLSL
#define WEFT_INTERVAL_STORE_GLSL

#include "interval/interval_segment.glsl"

uvec4 interval_output(IntervalSegment segment, uint which, uint v, bool edge);

// The low bits of word i of a vector that lie before its byte `byte`.
int bits_before(int byte, int i) { return 8 * clamp(byte - 4 * i, 0, 4); }

// Stores those bytes of vector v that lie in the segment.
void interval_store_edge(IntervalSegment segment, uint which, uvec2 target, uint v) {
  const uvec4 words = interval_output(segment, which, v, true);
  const int from = (int(segment.shift) - int(v * kVectorItems)) * int(kItemBytes);
  const int to = (int(segment.shift + segment.end) - int(v * kVectorItems)) * int(kItemBytes);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    const uint mask =
        bitfieldInsert(0u, ~0u, 0, bits_before(to, i)) & ~bitfieldInsert(0u, ~0u, 0, bits_before(from, i));
    merge_word(Words(target), v * 4u + uint(i), words[i], mask);
  }
}

void interval_store(IntervalSegment segment, uint which, uvec2 outputs) {
  const uvec2 base = word64_subtract(outputs, uvec2(push.head * kItemBytes, 0u));
  const uvec2 line = word64_subtract(segment.from_boundary, uvec2(segment.shift, 0u));
  const uvec2 target = word64_add(base, word64_times(line, kItemBytes));
  const uint stop = segment.shift + segment.end;
  const uint first_whole = (segment.shift + kVectorItems - 1u) / kVectorItems;
  const uint end_whole = stop / kVectorItems;
  // At most kRows / kBatch + 1 rounds. Items of less than 4 bytes lie on their boundaries, and so do vectors, thanks to
  // push.head.
  for (uint v = interval_invocation(); v < end_whole; v += kBatch * kWorkgroupSize) {
    uvec4 words[kBatch];
    [[unroll]] for (uint b = 0; b < kBatch; ++b)
      words[b] = interval_output(segment, which, min(v + b * kWorkgroupSize, end_whole - 1u), false);
    [[unroll]] for (uint b = 0; b < kBatch; ++b) {
      const uint own = v + b * kWorkgroupSize;
      if (own < first_whole || own >= end_whole) continue;
      if (kItemBytes < 4u || (target.x & 15u) == 0u) {
        Words4(target).at[own] = words[b];
      } else {
        [[unroll]] for (uint i = 0; i < 4u; ++i) Words(target).at[own * 4u + i] = words[b][i];
      }
    }
  }
  // The first vector and the last, where the segment has a part of them; they may be one.
  const bool begins_inside = (segment.shift & (kVectorItems - 1u)) != 0u;
  const bool ends_inside = (stop & (kVectorItems - 1u)) != 0u;
  if (interval_invocation() == 0u && begins_inside) interval_store_edge(segment, which, target, first_whole - 1u);
  if (interval_invocation() == 1u && ends_inside && !(begins_inside && end_whole < first_whole))
    interval_store_edge(segment, which, target, end_whole);
}

#endif
