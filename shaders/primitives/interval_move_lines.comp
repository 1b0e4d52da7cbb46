// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of IntervalMove from offsets to offsets: a lane a line of 16 bytes at the destination, so that lines are stored whole
// wherever an interval has all of one.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_LISTS_PLACES
#define WEFT_INTERVAL_CHECKS
#include "primitives/interval_move_lines.glsl"
#include "primitives/interval_segment.glsl"
#include "weft/unaligned.glsl"

uvec4 interval_listed(uint tile, uint first, uint present) { return uvec4(first) + uvec4(0u, 1u, 2u, 3u); }

void main() {
  IntervalSegment segment;
  if (!interval_segment_begin(segment)) return;
  const uvec2 counts = interval_tile_counts(segment.tile);
  const uvec2 gather = tile_offsets(push.gather, segment.tile);
  const uvec2 scatter = tile_offsets(push.scatter, segment.tile);
  const uvec2 first_rank = interval_first_rank(segment);

  // At most kRows rounds.
  for (uint place = interval_place(); place < segment.end; place += kWorkgroupSize) {
    const uint at = interval_at(place);
    if (listed_is_bad(at)) continue;
    const uint interval = listed_interval(at);
    const uvec2 rank = word64_add(at == 0u ? first_rank : uvec2(0u), place - listed_place(at));
    const uvec2 source = word64_add(push.source_items, word64_times(offset_load(gather, interval), kLineItemBytes));
    const uvec2 target = word64_add(push.destination_items, word64_times(offset_load(scatter, interval), kLineItemBytes));
    // Bytes of the interval from where the line begins; in its first line that is in front of it.
    const uint front = target.x & 15u;
    const uvec2 skipped = word64_subtract(uvec2(rank.x << 4, (rank.y << 4) | (rank.x >> 28)), uvec2(front, 0u));
    const uvec2 bytes = interval_bytes(interval_count_load(counts, interval));
    const uint from = rank == uvec2(0u) ? front : 0u;
    const uvec2 left = word64_subtract(bytes, skipped);
    const uint to = left.y != 0u ? 16u : min(left.x, 16u);
    const uvec2 line_source = word64_add(source, skipped);
    const uvec2 line_target = word64_add(target, skipped);
    if (from == 0u && to == 16u) {
      Words4(line_target).at[0] = load_16_bytes(line_source);
    } else if (kLineItemBytes < 4u) {
      copy_bytes(word64_add(line_source, from), word64_add(line_target, from), to - from);
    } else {
      [[unroll]] for (uint i = 0; i < 4u; ++i)
        if (4u * i >= from && 4u * i < to) Words(line_target).at[i] = Words(line_source).at[i];
    }
  }
}
