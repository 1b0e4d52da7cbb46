// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Where intervals of IntervalMove lie among the sources and the destinations: at offsets that are looked up, checked
// where an interval is listed, or packed, one after the other.
#ifndef WEFT_INTERVAL_MOVE_OFFSETS_GLSL
#define WEFT_INTERVAL_MOVE_OFFSETS_GLSL

#include "interval/interval_move.h"
#include "interval/interval_tiles.glsl"

uvec2 tile_offsets(uvec2 offsets, uvec2 tile_first) {
  return word64_add(offsets, word64_times(tile_first, kOffsetWords * 4u));
}

uvec2 offset_load(uvec2 tile_offsets, uint interval) {
  Words source = Words(tile_offsets);
  return kOffsetWords == 2u ? uvec2(source.at[2u * interval], source.at[2u * interval + 1u])
                            : uvec2(source.at[interval], 0u);
}

struct OffsetVector {
  uvec4 low, high;
};

// Those of intervals from `present` on are 0.
OffsetVector offset_vector_load(uvec2 tile_offsets, uint first, uint present) {
  OffsetVector offsets = OffsetVector(uvec4(0u), uvec4(0u));
  if (present == kTileIntervals && (tile_offsets.x & 15u) == 0u) {
    Words4 source = Words4(tile_offsets);
    if (kOffsetWords == 1u) {
      offsets.low = source.at[first / 4u];
    } else {
      const uvec4 a = source.at[first / 2u];
      const uvec4 b = source.at[first / 2u + 1u];
      offsets = OffsetVector(uvec4(a.xz, b.xz), uvec4(a.yw, b.yw));
    }
  } else {
    [[unroll]] for (uint k = 0; k < 4u; ++k) {
      if (first + k >= present) continue;
      const uvec2 offset = offset_load(tile_offsets, first + k);
      offsets.low[k] = offset.x;
      offsets.high[k] = offset.y;
    }
  }
  return offsets;
}

// Which of 4 intervals that are not empty end after `items`.
bvec4 ends_beyond(OffsetVector offsets, IntervalVector lengths, uvec2 items) {
  bvec4 beyond;
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    const uvec2 length = interval_length(lengths, k);
    const uvec2 end = word64_add_saturated(uvec2(offsets.low[k], offsets.high[k]), length);
    beyond[k] = word64_less(items, end) ? length != uvec2(0u) : false;
  }
  return beyond;
}

#ifdef WEFT_INTERVAL_CHECKS
bvec4 intervals_are_bad(uvec2 tile_first, uint first, uint present, IntervalVector lengths) {
  bvec4 bad = bvec4(false);
  if (kGathers)
    bad = ends_beyond(offset_vector_load(tile_offsets(push.gather, tile_first), first, present), lengths, push.sources);
  if (kScatters) {
    const bvec4 beyond = ends_beyond(offset_vector_load(tile_offsets(push.scatter, tile_first), first, present),
                                     lengths, push.destinations);
    [[unroll]] for (uint k = 0; k < 4u; ++k) bad[k] = bad[k] || beyond[k];
  }
  return bad;
}
#endif

#endif
