// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of IntervalMove of items of whole words, where one range is packed: a lane a word, so that neighbouring
// lanes move neighbouring words.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH IntervalMovePush
#define WEFT_INTERVAL_LISTS_POSITIONS
#define WEFT_INTERVAL_CHECKS
#include "interval/interval_move.h"
#include "interval/interval_segment.glsl"
#include "interval/interval_move_offsets.glsl"

const uint kItemWords = kItemBytes / 4u;
const uint kBatch = 4;  // words of a lane whose loads are under way at once

uvec4 interval_listed(uvec2 tile_first, uint first, uint present) { return uvec4(first) + uvec4(0u, 1u, 2u, 3u); }

uvec2 item_word(uvec2 items, uvec2 index, uint word) {
  return word64_add(items, word64_add(word64_times(index, kItemBytes), word * 4u));
}

void main() {
  IntervalSegment segment;
  if (!interval_segment_begin(segment)) return;
  const uvec2 gather = tile_offsets(push.gather, segment.tile_first);
  const uvec2 scatter = tile_offsets(push.scatter, segment.tile_first);
  // Of the packed range, where the segment begins. (push.head is 0 here.)
  const uvec2 packed_bytes = word64_times(segment.from_boundary, kItemBytes);
  const uvec2 packed_source = word64_add(push.source_items, packed_bytes);
  const uvec2 packed_destination = word64_add(push.destination_items, packed_bytes);
  const uvec2 first_rank = interval_first_rank(segment);

  // At most kRows * kVectorItems * kItemWords / kBatch + 1 rounds.
  const uint words = segment.end * kItemWords;
  for (uint begin = interval_invocation(); begin < words; begin += kBatch * kWorkgroupSize) {
    uint loaded[kBatch];
    uvec2 target[kBatch];
    bool moves[kBatch];
    [[unroll]] for (uint b = 0; b < kBatch; ++b) {
      const uint w = begin + b * kWorkgroupSize;
      const uint item = w / kItemWords;
      const uint word = w - item * kItemWords;
      const uint position = segment.shift + item;
      moves[b] = false;
      if (w < words) {
        const uint at = interval_at(position);
        const uint interval = listed_interval(at);
        const uvec2 rank = word64_add(at == 0u ? first_rank : uvec2(0u), position - listed_position(at));
        moves[b] = !listed_is_bad(at);
        if (moves[b]) {
          uvec2 source = word64_add(packed_source, w * 4u);
          if (kGathers) source = item_word(push.source_items, word64_add(offset_load(gather, interval), rank), word);
          target[b] = word64_add(packed_destination, w * 4u);
          if (kScatters)
            target[b] = item_word(push.destination_items, word64_add(offset_load(scatter, interval), rank), word);
          loaded[b] = Words(source).at[0];
        }
      }
    }
    [[unroll]] for (uint b = 0; b < kBatch; ++b)
      if (moves[b]) Words(target[b]).at[0] = loaded[b];
  }
}
