// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of LoadBalanceSearch: of each output of a segment, the source and the rank among those of that source.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH LoadBalanceSearchPush
#define WEFT_INTERVAL_LISTS_POSITIONS
#include "interval/load_balance_search.h"
#include "interval/interval_tiles.glsl"

const uint kBatch = 1;

#include "interval/interval_store.glsl"

const uint kOfSources = 0u;
const uint kOfRanks = 1u;

uvec4 interval_listed(uvec2 tile_first, uint first, uint present) { return uvec4(first) + uvec4(0u, 1u, 2u, 3u); }

// Of the output at `position`, whose source the list has at `at`.
uvec2 source_or_rank(IntervalSegment segment, uint which, uint at, uint position) {
  if (which == kOfSources) return word64_add(segment.tile_first, listed_interval(at));
  const uvec2 rank = uvec2(position - listed_position(at), 0u);
  return at == 0u ? word64_add(interval_first_rank(segment), rank) : rank;
}

uvec4 interval_output(IntervalSegment segment, uint which, uint v, bool edge) {
  uint rest;
  uint at = interval_at_vector(v, edge, rest);
  uvec4 words;
  [[unroll]] for (uint k = 0; k < kVectorItems; ++k) {
    at += (rest >> k) & 1u;
    const uvec2 index = source_or_rank(segment, which, at, v * kVectorItems + k);
    if (kItemBytes == 4u) {
      words[k] = index.x;
    } else {
      words[2u * k] = index.x;
      words[2u * k + 1u] = index.y;
    }
  }
  return words;
}

void main() {
  IntervalSegment segment;
  if (!interval_segment_begin(segment)) return;
  if (kSources) interval_store(segment, kOfSources, push.sources);
  if (kRanks) interval_store(segment, kOfRanks, push.ranks);
}
