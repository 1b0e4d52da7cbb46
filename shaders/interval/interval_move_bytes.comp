// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of IntervalMove of items of 1 or 2 bytes where one range is packed: a lane a vector of 16 bytes there, of
// which it moves the part that each interval has in it.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH IntervalMovePush
#define WEFT_INTERVAL_LISTS_POSITIONS
#define WEFT_INTERVAL_CHECKS
#include "interval/interval_move.h"
#include "interval/interval_segment.glsl"
#include "interval/interval_move_offsets.glsl"
#include "weft/unaligned.glsl"

uvec4 interval_listed(uvec2 tile_first, uint first, uint present) { return uvec4(first) + uvec4(0u, 1u, 2u, 3u); }

// `number` items at `position`, of the interval that the list has at `at`.
void move_part(IntervalSegment segment, uvec2 packed_items, uint at, uint position, uint number) {
  if (listed_is_bad(at)) return;
  const uvec2 own_rank = at == 0u ? interval_first_rank(segment) : uvec2(0u);
  const uvec2 rank = word64_add(own_rank, position - listed_position(at));
  const uvec2 offsets = tile_offsets(kGathers ? push.gather : push.scatter, segment.tile_first);
  const uvec2 index = word64_add(offset_load(offsets, listed_interval(at)), rank);
  const uvec2 found =
      word64_add(kGathers ? push.source_items : push.destination_items, word64_times(index, kItemBytes));
  const uvec2 packed_address = word64_add(packed_items, position * kItemBytes);
  const uvec2 source = kGathers ? found : packed_address;
  const uvec2 target = kGathers ? packed_address : found;
  if (number == kVectorItems && (target.x & 15u) == 0u)
    Words4(target).at[0] = load_16_bytes(source);
  else
    copy_bytes(source, target, number * kItemBytes);
}

void main() {
  IntervalSegment segment;
  if (!interval_segment_begin(segment)) return;
  // Position 0 of the packed range.
  const uvec2 line = word64_subtract(segment.from_boundary, uvec2(segment.shift, 0u));
  const uvec2 base =
      word64_subtract(kGathers ? push.destination_items : push.source_items, uvec2(push.head * kItemBytes, 0u));
  const uvec2 packed_items = word64_add(base, word64_times(line, kItemBytes));
  const uint stop = segment.shift + segment.end;
  // At most kRows + 1 rounds.
  for (uint v = interval_invocation(); v * kVectorItems < stop; v += kWorkgroupSize) {
    const uint end = min(stop, (v + 1u) * kVectorItems);
    uint position = max(segment.shift, v * kVectorItems);
    if (position >= end) continue;
    uint rest;
    uint at = interval_at_vector(v, true, rest);
    // A round for each interval with a part of the vector.
    [[dont_unroll]] for (uint i = 0u; i < kVectorItems && position < end; ++i) {
      const uint next = rest == 0u ? end : min(end, v * kVectorItems + uint(findLSB(rest)));
      move_part(segment, packed_items, at, position, next - position);
      rest &= rest - 1u;
      ++at;
      position = next;
    }
  }
}
