// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of TransformLbs: the caller's body is run for each output of a segment, neighbouring lanes having
// neighbouring outputs.
//
// family: own
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH TransformLbsPush
#define WEFT_INTERVAL_LISTS_POSITIONS
#include "interval/transform_lbs.h"
#include "interval/interval_segment.glsl"

uvec4 interval_listed(uvec2 tile_first, uint first, uint present) { return uvec4(first) + uvec4(0u, 1u, 2u, 3u); }

// ---- what the snippet is given (docs/own-kernels.md) ----

struct LbsOutput {
  uvec2 index;   // of the output
  uvec2 source;  // whose it is
  uvec2 rank;    // among those of its source
};

uvec2 call_buffer_0() { return push.buffer_0; }
uvec2 call_buffer_1() { return push.buffer_1; }
uvec2 call_buffer_2() { return push.buffer_2; }
uvec2 call_buffer_3() { return push.buffer_3; }
uvec2 call_a() { return push.a; }
uvec2 call_b() { return push.b; }

#include "weft/own_snippet.glsl"

void main() {
  IntervalSegment segment;
  if (!interval_segment_begin(segment)) return;
  const uvec2 first_rank = interval_first_rank(segment);
  // push.head is 0 here, and from_boundary the segment's first output. At most kRows * kVectorItems rounds.
  for (uint i = interval_invocation(); i < segment.end; i += kWorkgroupSize) {
    const uint position = segment.shift + i;
    const uint at = interval_at(position);
    const uvec2 rank = word64_add(at == 0u ? first_rank : uvec2(0u), position - listed_position(at));
    transform(
        LbsOutput(word64_add(segment.from_boundary, i), word64_add(segment.tile_first, listed_interval(at)), rank));
  }
}
