// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of IntervalExpand of values that are structs of any number of words: a lane an output word.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH IntervalExpandPush
#include "interval/interval_expand.h"
#include "interval/interval_segment.glsl"

const uint kValueWords = kItemBytes / 4u;

uvec4 interval_listed(uvec2 tile_first, uint first, uint present) { return uvec4(first) + uvec4(0u, 1u, 2u, 3u); }

void main() {
  IntervalSegment segment;
  if (!interval_segment_begin(segment)) return;
  Words values = Words(word64_add(push.symbols, word64_times(segment.tile_first, kItemBytes)));
  // push.head is 0 here, and from_boundary the segment's first output.
  Words target = Words(word64_add(push.outputs, word64_times(segment.from_boundary, kItemBytes)));
  // At most kRows * kValueWords rounds.
  const uint words = segment.end * kValueWords;
  for (uint w = interval_invocation(); w < words; w += kWorkgroupSize) {
    const uint item = w / kValueWords;
    const uint value = weft_list[interval_at(segment.shift + item)];
    target.at[w] = values.at[value * kValueWords + (w - item * kValueWords)];
  }
}
