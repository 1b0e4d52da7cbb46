// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Intervals of outputs, one after the other: interval i has as many outputs as its count says, or as lie between
// offsets i and i + 1. A lane owns neighbouring intervals, a tile is a workgroup's. Counts and their sums are pairs of
// words; sums stop at 2^64 - 1.
//
// The outputs of a tile are cut, from its first on, into segments of kSegment outputs. Every tile has one segment, if
// of nothing; those that follow it, of tiles with more outputs, are its extra ones.
//
// A kernel defines WEFT_INTERVAL_PUSH, its push constants, which begin with WEFT_INTERVAL_MEMBERS. With
// WEFT_INTERVAL_IN_LINES an interval is items in memory, and its outputs are the lines of 16 bytes that it touches
// there; the kernel then defines
//   uvec4 interval_destinations(uvec2 tile_first, uint first, uint present)
//     the low words of the addresses of 4 intervals
// and totals are of items.
#ifndef WEFT_INTERVAL_TILES_GLSL
#define WEFT_INTERVAL_TILES_GLSL

#define WEFT_OP 0  // add
#include "weft/tile.glsl"
#include "weft/workgroup_scan.glsl"
#include "interval/interval.h"

// The workgroup's size and kRows are powers of two here.
layout(push_constant, std430) uniform Push { WEFT_INTERVAL_PUSH push; };

const uint kLaneIntervals = 4u * kIntervalVectors;
const uint kTileIntervals = kWorkgroupSize * kLaneIntervals;
const uint kVectorItems = kItemBytes > 16u ? 1u : 16u / kItemBytes;
const uint kSegment = kWorkgroupSize * kRows * kVectorItems;  // at most 2^14

// ---- what lies before spans and tiles ----

struct IntervalsBefore {
  uvec2 outputs;
  uint extra;  // segments, at most kMaxExtra
};
const uint kMaxExtra = 0x7fffffffu;

IntervalsBefore intervals_before_add(IntervalsBefore a, IntervalsBefore b) {
  return IntervalsBefore(word64_add_saturated(a.outputs, b.outputs), min(a.extra + b.extra, kMaxExtra));
}

// What a tile adds to them.
IntervalsBefore intervals_before_of_tile(uvec2 outputs) {
  const uvec2 last = word64_subtract(outputs, uvec2(1u, 0u));
  const uvec2 extra = word64_shift_right(last, uint(findMSB(kSegment)));
  const bool none = outputs == uvec2(0u);
  return IntervalsBefore(outputs, none ? 0u : extra.y != 0u ? kMaxExtra : min(extra.x, kMaxExtra));
}

#ifdef WEFT_INTERVAL_IN_LINES

uvec4 interval_destinations(uvec2 tile_first, uint first, uint present);

// At most 2^64 - 1.
uvec2 interval_bytes(uvec2 items) {
  if (kLineItemBytes == 1u) return items;
  return items.y >> 24 != 0u ? uvec2(~0u) : word64_times(items, kLineItemBytes);
}

// The bytes of an interval's lines before and after it.
uint interval_padding(uvec2 items, uint destination) {
  const uint front = destination & 15u;
  const uint padding = front + ((0u - (front + items.x * kLineItemBytes)) & 15u);
  return items == uvec2(0u) ? 0u : padding;
}

IntervalsBefore intervals_before_of_tile(uvec2 items, uint padding) {
  const uvec2 bytes = word64_add_saturated(interval_bytes(items), uvec2(padding, 0u));
  return IntervalsBefore(items, intervals_before_of_tile(word64_shift_right(bytes, 4u)).extra);
}

#endif

IntervalsBefore intervals_before_of_words(uvec4 words) { return IntervalsBefore(words.xy, words.z); }
uvec4 intervals_before_words(IntervalsBefore before) { return uvec4(before.outputs, before.extra, 0u); }

// Of `before` in scratch: first the spans', then what lies before the end, then the tiles', each counted in its span.
IntervalsBefore intervals_before_load(uint at) { return intervals_before_of_words(Words4(push.before).at[at]); }
void intervals_before_store(uint at, IntervalsBefore before) {
  Words4(push.before).at[at] = intervals_before_words(before);
}

uint intervals_before_of_all() { return push.spans; }
uint intervals_before_of(uint tile) { return push.spans + 1u + tile; }

uvec2 interval_count() { return count_of(push.count, push.count_words, push.count_value); }

uint interval_tile_count(uvec2 count) {
  return word64_shift_right(word64_add(count, kTileIntervals - 1u), uint(findMSB(kTileIntervals))).x;
}

// The first interval of a tile.
uvec2 interval_tile_first(uint tile) { return word64_multiply(tile, kTileIntervals); }

// The intervals that are there of a tile that begins with interval `first`, at most `count`.
uint interval_tile_present(uvec2 count, uvec2 first) {
  const uvec2 left = word64_subtract(count, first);
  return left.y != 0u ? kTileIntervals : min(left.x, kTileIntervals);
}

uvec2 interval_tile_counts(uvec2 first) { return word64_add(push.counts, word64_times(first, kCountWords * 4u)); }

const uint kNoInterval = ~0u;

// The total of all, whether there is room for it, and the first interval that is out of range.
void intervals_report(uvec2 total, uint first_bad) {
  Words(push.total).at[0] = total.x;
  Words(push.total).at[1] = total.y;
  Words(push.status).at[0] = (word64_less(push.max_output, total) ? 1u : 0u) + (first_bad == kNoInterval ? 0u : 2u);
  if (kReportsInterval) Words(push.status).at[1] = first_bad;
}

// ---- counts of 4 neighbouring intervals ----

struct IntervalVector {
  uvec4 low, high;
};

#ifdef WEFT_INTERVAL_IN_LINES
const bool kLengthsHaveHighWords = true;  // lines of large items
#else
const bool kLengthsHaveHighWords = kCountWords == 2u;
#endif

uvec2 interval_length(IntervalVector intervals, uint k) {
  return uvec2(intervals.low[k], kLengthsHaveHighWords ? intervals.high[k] : 0u);
}

// From offsets, `next` being the one after them. Where they decrease, which no sums of counts do, counts are 0.
IntervalVector interval_vector_of_offsets(IntervalVector offsets, uvec2 next) {
  const uvec4 low = uvec4(offsets.low.yzw, next.x);
  if (kCountWords == 1u) return IntervalVector(max(low, offsets.low) - offsets.low, uvec4(0u));
  const uvec4 high = uvec4(offsets.high.yzw, next.y);
  IntervalVector counts;
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    const uvec2 from = uvec2(offsets.low[k], offsets.high[k]);
    const uvec2 count = word64_subtract(word64_max(uvec2(low[k], high[k]), from), from);
    counts.low[k] = count.x;
    counts.high[k] = count.y;
  }
  return counts;
}

uvec2 interval_word_pair(uvec2 counts, uint at) {
  Words source = Words(counts);
  return kCountWords == 2u ? uvec2(source.at[2u * at], source.at[2u * at + 1u]) : uvec2(source.at[at], 0u);
}

uvec2 interval_count_load(uvec2 counts, uint at) {
  const uvec2 count = interval_word_pair(counts, at);
  if (!kByOffsets) return count;
  return word64_subtract(word64_max(interval_word_pair(counts, at + 1u), count), count);
}

// Only where they lie on a boundary of 16 bytes.
IntervalVector interval_vector_load(uvec2 counts, uint first) {
  Words4 source = Words4(counts);
  IntervalVector intervals;
  if (kCountWords == 1u) {
    intervals = IntervalVector(source.at[first / 4u], uvec4(0u));
  } else {
    const uvec4 a = source.at[first / 2u];
    const uvec4 b = source.at[first / 2u + 1u];
    intervals = IntervalVector(uvec4(a.xz, b.xz), uvec4(a.yw, b.yw));
  }
  if (kByOffsets) intervals = interval_vector_of_offsets(intervals, interval_word_pair(counts, first + 4u));
  return intervals;
}

// Counts of intervals from `present` on are 0.
IntervalVector interval_vector_load_present(uvec2 counts, uint first, uint present) {
  IntervalVector intervals = IntervalVector(uvec4(0u), uvec4(0u));
  if (kByOffsets && present == 0u) return intervals;
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    if (!kByOffsets && first + k >= present) continue;
    const uvec2 count = interval_word_pair(counts, min(first + k, present));
    intervals.low[k] = count.x;
    intervals.high[k] = count.y;
  }
  if (kByOffsets)
    intervals = interval_vector_of_offsets(intervals, interval_word_pair(counts, min(first + 4u, present)));
  return intervals;
}

// Whether interval_vector_load() may load a tile's.
bool interval_tile_is_loadable(uvec2 counts, uint present) {
  return present == kTileIntervals && (counts.x & 15u) == 0u;
}

// A lane's intervals; the second vector only where it owns two.
struct LaneIntervals {
  IntervalVector first, second;
};

uint interval_invocation() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

LaneIntervals lane_intervals_load(uvec2 counts) {
  LaneIntervals intervals;
  intervals.first = interval_vector_load(counts, interval_invocation() * kLaneIntervals);
  if (kIntervalVectors == 2u)
    intervals.second = interval_vector_load(counts, interval_invocation() * kLaneIntervals + 4u);
  return intervals;
}

LaneIntervals lane_intervals_load_present(uvec2 counts, uint present) {
  LaneIntervals intervals;
  intervals.first = interval_vector_load_present(counts, interval_invocation() * kLaneIntervals, present);
  if (kIntervalVectors == 2u)
    intervals.second = interval_vector_load_present(counts, interval_invocation() * kLaneIntervals + 4u, present);
  return intervals;
}

#ifdef WEFT_INTERVAL_IN_LINES

uint interval_vector_padding(IntervalVector intervals, uvec4 destinations) {
  uint sum = 0u;
  [[unroll]] for (uint k = 0; k < 4u; ++k) sum += interval_padding(interval_length(intervals, k), destinations[k]);
  return sum;
}

uint lane_intervals_padding(LaneIntervals intervals, uvec2 tile_first, uint present) {
  const uint first = interval_invocation() * kLaneIntervals;
  uint sum = interval_vector_padding(intervals.first, interval_destinations(tile_first, first, present));
  if (kIntervalVectors == 2u)
    sum += interval_vector_padding(intervals.second, interval_destinations(tile_first, first + 4u, present));
  return sum;
}

IntervalVector interval_vector_lines(IntervalVector intervals, uvec4 destinations) {
  IntervalVector lines;
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    const uvec2 items = interval_length(intervals, k);
    const uint padding = interval_padding(items, destinations[k]);
    const uvec2 number = word64_shift_right(word64_add_saturated(interval_bytes(items), uvec2(padding, 0u)), 4u);
    lines.low[k] = number.x;
    lines.high[k] = number.y;
  }
  return lines;
}

#endif

uvec2 interval_vector_sum(IntervalVector intervals, uvec2 sum) {
  [[unroll]] for (uint k = 0; k < 4u; ++k) sum = word64_add_saturated(sum, interval_length(intervals, k));
  return sum;
}

uvec2 lane_intervals_sum(LaneIntervals intervals) {
  uvec2 sum = interval_vector_sum(intervals.first, uvec2(0u));
  if (kIntervalVectors == 2u) sum = interval_vector_sum(intervals.second, sum);
  return sum;
}

// The sum over a subgroup, on all of its lanes. In parts of 24 bits, which 128 lanes do not overflow.
uvec2 subgroup_add_saturated(uvec2 v) {
  const uint low = subgroup_add(v.x & 0xffffffu);
  const uint middle = subgroup_add((v.x >> 24) | ((v.y & 0xffffu) << 8)) + (low >> 24);
  // A lane's few counts of 32 bits end below 2^48.
  uint high = middle >> 24;
  if (kCountWords == 2u) high += subgroup_add(v.y >> 16);
  if (high > 0xffffu) return uvec2(~0u);
  return uvec2((low & 0xffffffu) | (middle << 24), ((middle >> 8) & 0xffffu) | (high << 16));
}

#endif
