// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of IntervalMove from offsets to offsets: a lane a line of 16 bytes at the destination, so that lines are
// stored whole wherever an interval has all of one.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_LISTS_POSITIONS
#define WEFT_INTERVAL_CHECKS
#include "interval/interval_move_lines.glsl"
#include "interval/interval_segment.glsl"
#include "weft/unaligned.glsl"

uvec4 interval_listed(uvec2 tile_first, uint first, uint present) { return uvec4(first) + uvec4(0u, 1u, 2u, 3u); }

// A line, or the part [from, to) of its bytes, on its way.
struct MovedLine {
  uvec2 target;
  uvec4 words;
  uint from, to;
};

MovedLine line_load(IntervalSegment segment, uvec2 first_rank, uint position) {
  MovedLine line = MovedLine(uvec2(0u), uvec4(0u), 0u, 0u);
  const uint at = interval_at(position);
  if (listed_is_bad(at)) return line;
  const uint interval = listed_interval(at);
  const uvec2 rank = word64_add(at == 0u ? first_rank : uvec2(0u), position - listed_position(at));
  const uvec2 gathered = offset_load(tile_offsets(push.gather, segment.tile_first), interval);
  const uvec2 scattered = offset_load(tile_offsets(push.scatter, segment.tile_first), interval);
  const uvec2 bytes = interval_bytes(interval_count_load(interval_tile_counts(segment.tile_first), interval));
  const uvec2 target = word64_add(push.destination_items, word64_times(scattered, kLineItemBytes));
  // Bytes of the interval from where the line begins; its first line may begin before it.
  const uint front = target.x & 15u;
  const uvec2 skipped = word64_subtract(uvec2(rank.x << 4, (rank.y << 4) | (rank.x >> 28)), uvec2(front, 0u));
  const uvec2 left = word64_subtract(bytes, skipped);
  const uvec2 source = word64_add(word64_add(push.source_items, word64_times(gathered, kLineItemBytes)), skipped);
  line.target = word64_add(target, skipped);
  line.from = rank == uvec2(0u) ? front : 0u;
  line.to = left.y != 0u ? 16u : min(left.x, 16u);
  if (line.from == 0u && line.to == 16u) {
    line.words = load_16_bytes(source);
  } else if (kLineItemBytes >= 4u) {
    [[unroll]] for (uint i = 0; i < 4u; ++i)
      if (4u * i >= line.from && 4u * i < line.to) line.words[i] = Words(source).at[i];
  } else {
    copy_bytes(word64_add(source, line.from), word64_add(line.target, line.from), line.to - line.from);
    line.to = 0u;
  }
  return line;
}

void line_store(MovedLine line) {
  if (line.from == 0u && line.to == 16u) {
    Words4(line.target).at[0] = line.words;
  } else {
    [[unroll]] for (uint i = 0; i < 4u; ++i)
      if (4u * i >= line.from && 4u * i < line.to) Words(line.target).at[i] = line.words[i];
  }
}

void main() {
  IntervalSegment segment;
  if (!interval_segment_begin(segment)) return;
  const uvec2 first_rank = interval_first_rank(segment);
  // Two lines a round, so that their loads are under way at once: at most kRows / 2 + 1 rounds.
  for (uint position = interval_invocation(); position < segment.end; position += 2u * kWorkgroupSize) {
    const MovedLine first = line_load(segment, first_rank, position);
    MovedLine second = MovedLine(uvec2(0u), uvec4(0u), 0u, 0u);
    if (position + kWorkgroupSize < segment.end) second = line_load(segment, first_rank, position + kWorkgroupSize);
    line_store(first);
    line_store(second);
  }
}
