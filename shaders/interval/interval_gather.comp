// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of IntervalMove of items of 4, 8 or 16 bytes to a packed output: a lane a vector of 16 bytes there.
//
// family: interval_move
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH IntervalMovePush
#define WEFT_INTERVAL_LISTS_POSITIONS
#define WEFT_INTERVAL_CHECKS
#include "interval/interval_move.h"
#include "interval/interval_segment.glsl"
#include "interval/interval_move_offsets.glsl"

const uint kItemWords = kItemBytes / 4u;
const uint kBatch = 4;  // vectors whose loads are under way together

uvec4 interval_listed(uvec2 tile_first, uint first, uint present) { return uvec4(first) + uvec4(0u, 1u, 2u, 3u); }

// Where the item would lie that has position 0, were it one of the interval that the list has at `at`.
uvec2 source_of_position_0(uvec2 gather, uvec2 first_rank, uint at) {
  const uvec2 own_rank = at == 0u ? first_rank : uvec2(0u);
  const uvec2 index = word64_add(offset_load(gather, listed_interval(at)), own_rank);
  return word64_add(push.source_items,
                    word64_times(word64_subtract(index, uvec2(listed_position(at), 0u)), kItemBytes));
}

// What a vector's words are, and a bit for each that is there.
struct GatheredVector {
  uvec4 words;
  uint stored;
};

// Loads of offsets come before loads of items, so that those of a vector are under way together.
GatheredVector gather_vector(IntervalSegment segment, uvec2 gather, uvec2 first_rank, uint v, uint stop) {
  GatheredVector vector = GatheredVector(uvec4(0u), 0u);
  if (v * kVectorItems >= stop) return vector;
  uint rest;
  uint at = interval_at_vector(v, true, rest);
  uvec2 sources[kVectorItems];
  bool is_there[kVectorItems];
  [[unroll]] for (uint k = 0; k < kVectorItems; ++k) {
    at += (rest >> k) & 1u;
    const uint position = v * kVectorItems + k;
    sources[k] = source_of_position_0(gather, first_rank, at);
    is_there[k] = !listed_is_bad(at) && position >= segment.shift && position < stop;
  }
  [[unroll]] for (uint i = 0; i < 4u; ++i) {
    if (is_there[i / kItemWords]) {
      vector.words[i] = Words(word64_add(sources[i / kItemWords], (v * 4u + i) * 4u)).at[0];
      vector.stored |= 1u << i;
    }
  }
  return vector;
}

void gathered_store(uvec2 target, uint v, GatheredVector vector) {
  if (vector.stored == 15u && (target.x & 15u) == 0u) {
    Words4(target).at[v] = vector.words;
  } else {
    [[unroll]] for (uint i = 0; i < 4u; ++i)
      if ((vector.stored & (1u << i)) != 0u) Words(target).at[v * 4u + i] = vector.words[i];
  }
}

void main() {
  IntervalSegment segment;
  if (!interval_segment_begin(segment)) return;
  const uvec2 gather = tile_offsets(push.gather, segment.tile_first);
  const uvec2 first_rank = interval_first_rank(segment);
  const uvec2 base = word64_subtract(push.destination_items, uvec2(push.head * kItemBytes, 0u));
  const uvec2 line = word64_subtract(segment.from_boundary, uvec2(segment.shift, 0u));
  const uvec2 target = word64_add(base, word64_times(line, kItemBytes));
  const uint stop = segment.shift + segment.end;

  // At most kRows / kBatch + 1 rounds.
  for (uint v = interval_invocation(); v * kVectorItems < stop; v += kBatch * kWorkgroupSize) {
    GatheredVector vectors[kBatch];
    [[unroll]] for (uint b = 0; b < kBatch; ++b)
      vectors[b] = gather_vector(segment, gather, first_rank, v + b * kWorkgroupSize, stop);
    [[unroll]] for (uint b = 0; b < kBatch; ++b) gathered_store(target, v + b * kWorkgroupSize, vectors[b]);
  }
}
