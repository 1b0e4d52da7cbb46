// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass over intervals: each workgroup sums the counts of a span of tiles, and writes what lies before each tile
// in its span, and the span's total. Of one span it is the last word. As WEFT_INTERVAL_IN_LINES needs it,
// interval_tiles.glsl.
#ifndef WEFT_INTERVAL_SUMS_GLSL
#define WEFT_INTERVAL_SUMS_GLSL

#include "interval/interval_tiles.glsl"

// Tiles whose loads are under way at once.
const uint kBatchTiles = 4;

shared uvec2 weft_batch_sums[2 * kBatchTiles * kSubgroupCount];
#ifdef WEFT_INTERVAL_IN_LINES
shared uint weft_batch_padding[2 * kBatchTiles * kSubgroupCount];
#endif

// What a lane adds.
struct LaneSum {
  uvec2 items;
  uint padding;
};

LaneSum lane_sum(LaneIntervals intervals, uvec2 tile_first, uint present) {
#ifdef WEFT_INTERVAL_IN_LINES
  return LaneSum(lane_intervals_sum(intervals), lane_intervals_padding(intervals, tile_first, present));
#else
  return LaneSum(lane_intervals_sum(intervals), 0u);
#endif
}

LaneSum tile_sum_full(uint tile) {
  const uvec2 first = interval_tile_first(tile);
  return lane_sum(lane_intervals_load(interval_tile_counts(first)), first, kTileIntervals);
}

LaneSum tile_sum_present(uvec2 count, uint tile, uint end) {
  if (tile >= end) return LaneSum(uvec2(0u), 0u);
  const uvec2 first = interval_tile_first(tile);
  const uint present = interval_tile_present(count, first);
  return lane_sum(lane_intervals_load_present(interval_tile_counts(first), present), first, present);
}

void interval_sums() {
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
    LaneSum own[kBatchTiles];
    const uint last = tile + kBatchTiles - 1u;
    if (last < end && interval_tile_is_loadable(push.counts, interval_tile_present(count, interval_tile_first(last)))) {
      [[unroll]] for (uint t = 0; t < kBatchTiles; ++t) own[t] = tile_sum_full(tile + t);
    } else {
      [[unroll]] for (uint t = 0; t < kBatchTiles; ++t) own[t] = tile_sum_present(count, tile + t, end);
    }
    const uint first = slot * kBatchTiles * kSubgroupCount;
    [[unroll]] for (uint t = 0; t < kBatchTiles; ++t) {
      const uvec2 sum = subgroup_add_saturated(own[t].items);
      if (subgroup_lane() == 0u) weft_batch_sums[first + t * kSubgroupCount + subgroup_index()] = sum;
#ifdef WEFT_INTERVAL_IN_LINES
      const uint padding = subgroup_add(own[t].padding);
      if (subgroup_lane() == 0u) weft_batch_padding[first + t * kSubgroupCount + subgroup_index()] = padding;
#endif
    }
    barrier();
    // The others go on to the next batch, which has the other half of weft_batch_sums and a
    // barrier before the one after.
    if (gl_LocalInvocationIndex < kBatchTiles) {
      for (uint t = 0u; t < kBatchTiles; ++t) {
        if (t == gl_LocalInvocationIndex && tile + t < end)
          intervals_before_store(intervals_before_of(tile + t), carry);
        uvec2 items = uvec2(0u);
        for (uint s = 0u; s < kSubgroupCount; ++s)
          items = word64_add_saturated(items, weft_batch_sums[first + t * kSubgroupCount + s]);
#ifdef WEFT_INTERVAL_IN_LINES
        uint padding = 0u;
        for (uint s = 0u; s < kSubgroupCount; ++s) padding += weft_batch_padding[first + t * kSubgroupCount + s];
        carry = intervals_before_add(carry, intervals_before_of_tile(items, padding));
#else
        carry = intervals_before_add(carry, intervals_before_of_tile(items));
#endif
      }
    }
    slot ^= 1u;
  }
  if (gl_LocalInvocationIndex != 0u) return;
  if (push.spans == 1u) {
    // Nothing is left for interval_totals.comp to do.
    intervals_before_store(0u, IntervalsBefore(uvec2(0u), 0u));
    intervals_before_store(intervals_before_of_all(), carry);
    intervals_report(carry.outputs, kNoInterval);
  } else {
    intervals_before_store(gl_WorkGroupID.x, carry);
  }
}

#endif
