// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass over intervals: each workgroup sums the counts of a span of tiles, and writes what lies before each tile in its
// span, and the span's total.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH IntervalPush
#include "primitives/interval_tiles.glsl"

// Tiles whose loads are under way at once.
const uint kBatchTiles = 4;

shared uvec2 weft_batch_sums[2 * kBatchTiles * kSubgroupCount];

uvec2 tile_sum_full(uint tile) { return lane_intervals_sum(lane_intervals_load(interval_tile_counts(tile))); }

uvec2 tile_sum_present(uvec2 count, uint tile, uint end) {
  return tile < end ? lane_intervals_sum(lane_intervals_load_present(interval_tile_counts(tile), interval_tile_present(count, tile)))
                    : uvec2(0u);
}

void main() {
  const uvec2 count = interval_count();
  const uint tiles = interval_tile_count(count);
  const uint tiles_per_span = 1u << push.span_shift;
  const uint first_tile = gl_WorkGroupID.x << push.span_shift;
  const uint end = min(tiles, first_tile + tiles_per_span);

  IntervalsBefore carry = IntervalsBefore(uvec2(0u), 0u);  // kept by the first kBatchTiles invocations
  uint slot = 0u;
  for (uint i = 0u; i < tiles_per_span; i += kBatchTiles) {
    const uint tile = first_tile + i;
    if (tile >= end) break;
    uvec2 own[kBatchTiles];
    const uint last = tile + kBatchTiles - 1u;
    if (last < end && interval_tile_is_loadable(push.counts, interval_tile_present(count, last))) {
      [[unroll]] for (uint t = 0; t < kBatchTiles; ++t) own[t] = tile_sum_full(tile + t);
    } else {
      [[unroll]] for (uint t = 0; t < kBatchTiles; ++t) own[t] = tile_sum_present(count, tile + t, end);
    }
    const uint first = slot * kBatchTiles * kSubgroupCount;
    [[unroll]] for (uint t = 0; t < kBatchTiles; ++t) {
      const uvec2 sum = subgroup_add_saturated(own[t]);
      if (subgroup_lane() == 0u) weft_batch_sums[first + t * kSubgroupCount + subgroup_index()] = sum;
    }
    barrier();
    // The others go on to the next batch, which has the other half of weft_batch_sums and a barrier before the one after.
    if (gl_LocalInvocationIndex < kBatchTiles) {
      for (uint t = 0u; t < kBatchTiles; ++t) {
        if (t == gl_LocalInvocationIndex && tile + t < end) intervals_before_store(intervals_before_of(tile + t), carry);
        uvec2 outputs = uvec2(0u);
        for (uint s = 0u; s < kSubgroupCount; ++s)
          outputs = word64_add_saturated(outputs, weft_batch_sums[first + t * kSubgroupCount + s]);
        carry = intervals_before_add(carry, intervals_before_of_tile(outputs));
      }
    }
    slot ^= 1u;
  }
  if (gl_LocalInvocationIndex == 0u) intervals_before_store(gl_WorkGroupID.x, carry);
}
