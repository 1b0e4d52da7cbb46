// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass over intervals: a workgroup takes a segment of the outputs. The first as many workgroups as there are tiles
// have their first segments; those after them have the extra ones, and search for the tile of theirs.
//
// kIsDirect: there is no pass before this one. Of few intervals that are given by counts every workgroup sums all
// (kSumsAll). Few that are given by offsets need no sums: every workgroup searches in them for its own (kSearches).
// Outputs and ends of intervals lie on one path, an interval's end after its outputs. An output is one
// unit of it and an end kEndUnits, and a segment takes kSegment units: so it has no more outputs than that, and a tile
// that begins with its first interval holds all of its intervals. Where offsets decrease, segments may be any, but are
// no longer than that.
//
// The workgroup lists the segment's intervals in shared memory, empty ones left out, and marks in a bit for each output
// where an interval begins. How many bits are set up to an output then says where in the list its interval is. Outputs
// have positions that count from the whole line of vectors in which the segment begins.
//
// A kernel defines
//   uvec4 interval_listed(uvec2 tile_first, uint first, uint present)
//     what is listed of intervals first to first + 3 of a tile
// and, for WEFT_INTERVAL_LISTS_POSITIONS, gets in the list beside it where the interval begins: see listed_interval().
// With WEFT_INTERVAL_CHECKS besides, it defines
//   bvec4 intervals_are_bad(uvec2 tile_first, uint first, uint present, IntervalVector lengths)
// and the list says which are. Then it calls interval_segment_begin(), and, where that says so, stores outputs [0, end)
// of the segment.
#ifndef WEFT_INTERVAL_SEGMENT_GLSL
#define WEFT_INTERVAL_SEGMENT_GLSL

#include "interval/interval_tiles.glsl"

const uint kLine = 8u * kVectorItems;

// Words of bits that a lane counts, and all of them.
const uint kLaneWords = ((kSegment + kLine + 31u) / 32u + kWorkgroupSize - 1u) / kWorkgroupSize;
const uint kWords = kWorkgroupSize * kLaneWords;

shared uint weft_begins[kWords];
shared uint weft_begins_before[kWords];  // how many are set in the words before
shared uint weft_list[kTileIntervals];
shared uvec2 weft_interval_sums[kSubgroupCount];

const bool kSearches = kIsDirect && kByOffsets;
const bool kSumsAll = kIsDirect && !kByOffsets;

// kSumsAll: what lies before every tile, and before the end.
shared uvec4 weft_tiles_before[kSumsAll ? kMaxDirectTiles + 1u : 1u];

uvec4 interval_listed(uvec2 tile_first, uint first, uint present);
#ifdef WEFT_INTERVAL_CHECKS
bvec4 intervals_are_bad(uvec2 tile_first, uint first, uint present, IntervalVector lengths);
#endif

// ---- which segment ----

struct IntervalSegment {
  uvec2 tile_first;     // the first interval of the tile
  uint present;         // intervals of the tile
  bool is_extra;        // or kSearches: its first output may be any of its interval
  uvec2 first;          // its first output, counted in the tile
  uvec2 from_boundary;  // its first output, counted from where push.head's absent items begin
  uint shift;           // that one's position
  uint end;             // how many outputs it has
};

IntervalsBefore interval_tile_before(uint tile) {
  if (kSumsAll) return intervals_before_of_words(weft_tiles_before[min(tile, kMaxDirectTiles)]);
  return intervals_before_add(intervals_before_load(tile >> push.span_shift),
                              intervals_before_load(intervals_before_of(tile)));
}

// Before the end of all, of so many tiles.
IntervalsBefore intervals_before_end(uint tiles) {
  if (kSumsAll) return interval_tile_before(tiles);
  return intervals_before_load(intervals_before_of_all());
}

// The same on all lanes.
IntervalsBefore intervals_before_uniform(IntervalsBefore before) {
  return IntervalsBefore(subgroup_uniform(before.outputs), subgroup_uniform(before.extra));
}

// The counts that a lane has of a tile which its subgroup sums; of no tile, nothing.
uvec2 interval_lane_sum(uvec2 count, uint tile, uint tiles) {
  const uvec2 first = interval_tile_first(tile);
  const uint present = tile < tiles ? interval_tile_present(count, first) : 0u;
  const uvec2 counts = interval_tile_counts(first);
  uvec2 sum = uvec2(0u);
  if (interval_tile_is_loadable(counts, present)) {
    for (uint at = 4u * subgroup_lane(); at < kTileIntervals; at += 4u * kSubgroupSize)
      sum = interval_vector_sum(interval_vector_load(counts, at), sum);
  } else {
    [[dont_unroll]] for (uint at = 4u * subgroup_lane(); at < present; at += 4u * kSubgroupSize)
      sum = interval_vector_sum(interval_vector_load_present(counts, at, present), sum);
  }
  return sum;
}

// Sums all counts, of at most kMaxDirectTiles tiles, a tile a subgroup at a time. One workgroup reports.
void intervals_sum_all(uvec2 count, uint tiles, bool reports) {
  for (uint first = 0u; first < tiles; first += kSubgroupCount) {
    const uint tile = first + subgroup_index();
    const uvec2 sum = subgroup_add_saturated(interval_lane_sum(count, tile, tiles));
    if (subgroup_lane() == 0u && tile < tiles) weft_tiles_before[tile] = uvec4(sum, 0u, 0u);
  }
  barrier();
  const uint own = interval_invocation();
  IntervalsBefore before = IntervalsBefore(uvec2(0u), 0u);
  if (own <= tiles) {
    for (uint tile = 0u; tile < own; ++tile)
      before = intervals_before_add(before, intervals_before_of_tile(weft_tiles_before[tile].xy));
    if (reports && own == tiles) intervals_report(before.outputs, kNoInterval);
  }
  barrier();
  if (own <= tiles) weft_tiles_before[own] = intervals_before_words(before);
  barrier();
}

shared uint weft_tile_found;

// The last tile with `extra` or fewer extra segments before it; every invocation probes one in each step. (Without
// subgroup operations: drivers would take more care in all others for the sake of those in this loop.)
uint interval_tile_of_extra(uint extra, uint tiles) {
  uint low = 0u;
  uint high = tiles;
  // Of 2^31 tiles, 128 invocations leave one in 5 steps.
  for (uint i = 0u; i < 5u && high - low > 1u; ++i) {
    if (gl_LocalInvocationIndex == 0u) weft_tile_found = low;
    barrier();
    const uint stride = (high - low + kWorkgroupSize - 1u) / kWorkgroupSize;
    const uint probe = low + (interval_invocation() + 1u) * stride;
    if (probe < high && interval_tile_before(probe).extra <= extra) atomicMax(weft_tile_found, probe);
    barrier();
    low = weft_tile_found;
    high = min(high, low + stride);
    barrier();
  }
  return low;
}

// What an end of an interval takes of the path; as in src/primitives/interval/interval_plan.cpp.
const uint kEndUnits = kSegment > kTileIntervals ? kSegment / kTileIntervals : 1u;

struct IntervalOffsets {
  uint count;
  uvec2 first_offset;
  uvec2 outputs;  // of all intervals
};

uvec2 interval_offset(IntervalOffsets all, uint i) {
  return word64_subtract(word64_max(interval_word_pair(push.counts, i), all.first_offset), all.first_offset);
}

IntervalOffsets interval_offsets() {
  IntervalOffsets all = IntervalOffsets(interval_count().x, uvec2(0u), uvec2(0u));
  if (all.count == 0u) return all;
  all.first_offset = subgroup_uniform(interval_word_pair(push.counts, 0u));
  all.outputs = subgroup_uniform(interval_offset(all, all.count));
  return all;
}

// How many ends of intervals lie before a position on the path; every invocation probes kProbes in each step, as above.
uint interval_ends_before(IntervalOffsets all, uvec2 units) {
  const uint kProbes = 4u;
  uint low = 0u;
  uint left = all.count;
  // Of 2^31 intervals, 512 probes leave none in 4 steps.
  for (uint i = 0u; i < 4u && left != 0u; ++i) {
    if (gl_LocalInvocationIndex == 0u) weft_tile_found = low;
    barrier();
    const uint stride = left / (kProbes * kWorkgroupSize) + 1u;
    uint passed = low;
    [[unroll]] for (uint k = 0; k < kProbes; ++k) {
      const uint probe = (k * kWorkgroupSize + interval_invocation() + 1u) * stride - 1u;
      if (probe >= left) continue;
      const uvec2 end =
          word64_add_saturated(interval_offset(all, low + probe + 1u), word64_multiply(low + probe, kEndUnits));
      if (word64_less(end, units)) passed = low + probe + 1u;
    }
    atomicMax(weft_tile_found, passed);
    barrier();
    left = min(left - (weft_tile_found - low), stride - 1u);
    low = weft_tile_found;
    barrier();
  }
  return low;
}

// Of a segment that begins at `units` of the path: the units of it that an end takes which begins before it.
uint interval_direct_begin(IntervalOffsets all, uvec2 units, inout IntervalSegment segment, out uvec2 begin) {
  const uint ends = subgroup_uniform(interval_ends_before(all, units));
  segment.tile_first = uvec2(ends, 0u);
  segment.is_extra = true;
  const uvec2 own = interval_offset(all, ends);
  const uvec2 before = word64_multiply(ends, kEndUnits);
  const uvec2 reached = word64_subtract(word64_max(units, before), before);
  begin = subgroup_uniform(word64_max(own, reached));
  segment.first = word64_subtract(begin, subgroup_uniform(own));
  return min(word64_subtract(begin, reached).x, kEndUnits);
}

// ---- its intervals ----

// The sums over the invocations before this one, and of all. A kernel calls it once. Holds one barrier.
uvec2 interval_exclusive_add(uvec2 v, out uvec2 total) {
  const uvec2 inclusive = uvec2(subgroup_inclusive_add(v.x), subgroup_inclusive_add(v.y));
  if (subgroup_lane() == kSubgroupSize - 1u) weft_interval_sums[subgroup_index()] = inclusive;
  barrier();
  uvec2 before = inclusive - v;
  total = uvec2(0u);
  for (uint i = 0u; i < kSubgroupCount; ++i) {
    const uvec2 sum = weft_interval_sums[i];
    before += mix(uvec2(0u), sum, bvec2(i < subgroup_index()));
    total += sum;
  }
  return before;
}

// The outputs of the tile's lanes before this one. Uses the list's memory.
uvec2 interval_tile_outputs_before(uvec2 own) {
  const uint position = interval_invocation();
  uvec2 before = uvec2(0u);
  for (uint delta = 1u; delta < 2u * kWorkgroupSize; delta <<= 1) {
    weft_list[position] = own.x;
    weft_list[kWorkgroupSize + position] = own.y;
    barrier();
    // Shifted by one at last.
    const uint back = delta < kWorkgroupSize ? delta : 1u;
    before = uvec2(0u);
    if (position >= back) before = uvec2(weft_list[position - back], weft_list[kWorkgroupSize + position - back]);
    own = word64_add_saturated(before, own);
    barrier();
  }
  return before;
}

#ifdef WEFT_INTERVAL_LISTS_POSITIONS

shared uvec2 weft_first_rank;

// What is listed is less than kTileIntervals, at most 2^11, and positions less than 2^15.
const uint kListedBits = 11u;
const uint kListedBad = 1u << 31;
uint listed_interval(uint at) { return weft_list[at] & ((1u << kListedBits) - 1u); }
#ifdef WEFT_INTERVAL_CHECKS
uint listed_position(uint at) { return bitfieldExtract(weft_list[at], int(kListedBits), 15); }
bool listed_is_bad(uint at) { return (weft_list[at] & kListedBad) != 0u; }
#else
uint listed_position(uint at) { return weft_list[at] >> kListedBits; }
#endif

// Of an extra segment's first output, the rank in its interval, which may have begun before: after a barrier.
uvec2 interval_first_rank(IntervalSegment segment) { return segment.is_extra ? weft_first_rank : uvec2(0u); }

#endif

// How many of the outputs before `position` lie in the segment that begins at `first`.
uint outputs_in_segment(uvec2 position, uvec2 first) {
  if (word64_less(position, first)) return 0u;
  const uvec2 inside = word64_subtract(position, first);
  return inside.y != 0u ? kSegment : min(inside.x, kSegment);
}

// The counts of 4 intervals as far as they lie in the segment that begins at `first`; `start` moves on over all of
// them. `units`: what the first of them finds of the segment's path, if kSearches. `rank` becomes that of the segment's
// first output, if one of them has it.
uvec4 counts_in_segment(IntervalVector intervals, uvec2 first, uint units, inout uvec2 start, inout uvec2 rank) {
  uvec4 counts;
  uint begin = outputs_in_segment(start, first);
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
#ifdef WEFT_INTERVAL_LISTS_POSITIONS
    const uvec2 rank_0 = word64_subtract(first, start);
#endif
    start = word64_add_saturated(start, interval_length(intervals, k));
    const uint end = outputs_in_segment(start, first);
    // What a segment has of its path for outputs of this interval and those before it.
    const uint last = kSearches ? min(end, units - min(units, k * kEndUnits)) : end;
    counts[k] = last - min(last, begin);
#ifdef WEFT_INTERVAL_LISTS_POSITIONS
    // Of the first interval of the segment alone.
    if (begin == 0u && end != 0u) rank = rank_0;
#endif
    begin = end;
  }
  return counts;
}

// The same in a tile's first segment, or more where the segment is full without it.
uvec4 counts_in_first_segment(IntervalVector intervals) {
  return mix(min(intervals.low, uvec4(kSegment)), uvec4(kSegment), notEqual(intervals.high, uvec4(0u)));
}

uint counts_sum(uvec4 counts) { return counts.x + counts.y + counts.z + counts.w; }
uint counts_not_zero(uvec4 counts) { return counts_sum(min(counts, uvec4(1u))); }

// Lists and marks the intervals of a vector that begin before output `end` of the segment. `shift`: the position of
// output 0.
void intervals_list(uvec4 counts, uvec4 listed, uint shift, uint end, inout uvec2 start) {
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    if (counts[k] != 0u && start.x < end) {
      const uint position = shift + start.x;
      atomicOr(weft_begins[position >> 5], 1u << (position & 31u));
#ifdef WEFT_INTERVAL_LISTS_POSITIONS
      weft_list[start.y] = listed[k] | position << kListedBits;
#else
      weft_list[start.y] = listed[k];
#endif
    }
    start += uvec2(counts[k], min(counts[k], 1u));
  }
}

shared uint weft_subgroup_begins[kSubgroupCount];

// Counts the bits before each word, after a barrier; a barrier follows.
void begins_count() {
  const uint first = interval_invocation() * kLaneWords;
  uint own = 0u;
  [[unroll]] for (uint i = 0; i < kLaneWords; ++i) own += uint(bitCount(weft_begins[first + i]));
  const uint inclusive = subgroup_inclusive_add(own);
  if (subgroup_lane() == kSubgroupSize - 1u) weft_subgroup_begins[subgroup_index()] = inclusive;
  barrier();
  uint before = inclusive - own;
  for (uint i = 0u; i < kSubgroupCount; ++i) before += mix(0u, weft_subgroup_begins[i], i < subgroup_index());
  [[unroll]] for (uint i = 0; i < kLaneWords; ++i) {
    weft_begins_before[first + i] = before;
    before += uint(bitCount(weft_begins[first + i]));
  }
}

uvec4 interval_vector_listed(IntervalSegment segment, uint first, IntervalVector lengths) {
  uvec4 listed = interval_listed(segment.tile_first, first, segment.present);
#ifdef WEFT_INTERVAL_CHECKS
  const bvec4 bad = intervals_are_bad(segment.tile_first, first, segment.present, lengths);
  // Of tiles with extra segments the first segment reports, and interval_direct_report() for all.
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    if (!bad[k]) continue;
    listed[k] |= kListedBad;
    if (segment.is_extra) continue;
    atomicOr(Words(push.status).at[0], 2u);
    atomicMin(Words(push.status).at[1], segment.tile_first.x + first + k);
  }
#endif
  return listed;
}

// The outputs of `number` intervals from interval `first` on.
uvec2 interval_direct_outputs_before(IntervalOffsets all, uint first, uint number) {
  const uvec2 begin = interval_offset(all, first);
  return word64_subtract(word64_max(interval_offset(all, first + number), begin), begin);
}

#ifdef WEFT_INTERVAL_CHECKS
// The first bad interval of a lane's part of a tile, or kNoInterval.
uint interval_direct_first_bad(uint count, uint tile) {
  const uvec2 tile_first = interval_tile_first(tile);
  if (!word64_less(tile_first, uvec2(count, 0u))) return kNoInterval;
  const uint present = interval_tile_present(uvec2(count, 0u), tile_first);
  uint found = kNoInterval;
  [[unroll]] for (uint v = kIntervalVectors; v != 0u; --v) {
    const uint first = interval_invocation() * kLaneIntervals + 4u * (v - 1u);
    const uvec2 counts = interval_tile_counts(tile_first);
    IntervalVector lengths;
    if (interval_tile_is_loadable(counts, present))
      lengths = interval_vector_load(counts, first);
    else
      lengths = interval_vector_load_present(counts, first, present);
    const bvec4 bad = intervals_are_bad(tile_first, first, present, lengths);
    [[unroll]] for (uint k = 4u; k != 0u; --k) found = bad[k - 1u] ? tile_first.x + first + k - 1u : found;
  }
  return found;
}
#endif

// What one workgroup reports for all. Every invocation of it calls.
void interval_direct_report(IntervalOffsets all) {
  uint first_bad = kNoInterval;
#ifdef WEFT_INTERVAL_CHECKS
  if (gl_LocalInvocationIndex == 0u) weft_tile_found = kNoInterval;
  barrier();
  if (push.max_output != uvec2(0u)) {
    const uint kBatchTiles = 4u;
    uint found = kNoInterval;
    // At most a tile for each kTileIntervals of IntervalTuning::direct_intervals.
    for (uint tile = 0u; tile * kTileIntervals < all.count; tile += kBatchTiles) {
      [[unroll]] for (uint t = 0; t < kBatchTiles; ++t) found =
          min(found, interval_direct_first_bad(all.count, tile + t));
    }
    atomicMin(weft_tile_found, found);
  }
  barrier();
  first_bad = weft_tile_found;
#endif
  if (gl_LocalInvocationIndex == 0u) intervals_report(all.outputs, first_bad);
}

// Whether this workgroup has a segment with outputs; if so, its intervals are listed and marked. Every invocation
// calls, once.
//
// One function: in three, with what they share in structs, moves of 2^28 items took 4 % longer on an H200.
bool interval_segment_begin(out IntervalSegment segment) {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uvec2 count = interval_count();
  const uint tiles = interval_tile_count(count);
  uint tile = group;
  IntervalOffsets all;
  uvec2 begin = uvec2(0u);
  uint taken = 0u;  // of a direct segment's path, before its first interval
  segment.first = uvec2(0u);
  segment.is_extra = group >= tiles;
  if (kSumsAll) intervals_sum_all(count, tiles, group == 0u);
  if (kSearches) {
    all = interval_offsets();
    // The workgroup that reports for all comes first, and has no segment.
    if (group == 0u) {
      interval_direct_report(all);
      return false;
    }
    // Of no intervals there are no offsets to read.
    if (all.outputs == uvec2(0u)) return false;
    taken = interval_direct_begin(all, word64_multiply(group - 1u, kSegment), segment, begin);
    if (!word64_less(begin, word64_min(all.outputs, push.max_output))) return false;
  } else if (segment.is_extra) {
    const uint extra = subgroup_uniform(intervals_before_end(tiles).extra);
    if (group - tiles >= extra) return false;
    tile = subgroup_uniform(interval_tile_of_extra(group - tiles, tiles));
  }
  if (!kSearches) segment.tile_first = interval_tile_first(tile);

  // All loads first.
  const uvec2 counts = interval_tile_counts(segment.tile_first);
  segment.present = interval_tile_present(count, segment.tile_first);
  const uint first_own = interval_invocation() * kLaneIntervals;
  LaneIntervals intervals;
  if (interval_tile_is_loadable(counts, segment.present))
    intervals = lane_intervals_load(counts);
  else
    intervals = lane_intervals_load_present(counts, segment.present);
  const uvec4 listed_0 = interval_vector_listed(segment, first_own, intervals.first);
  uvec4 listed_1 = uvec4(0u);
  if (kIntervalVectors == 2u) listed_1 = interval_vector_listed(segment, first_own + 4u, intervals.second);
  IntervalsBefore before = IntervalsBefore(uvec2(0u), 0u);
  uvec2 start = uvec2(0u);
  if (kSearches)
    start = interval_direct_outputs_before(all, segment.tile_first.x, min(first_own, segment.present));
  else
    before = intervals_before_uniform(interval_tile_before(tile));
#ifdef WEFT_INTERVAL_IN_LINES
  // What lies before is counted in items.
  const uvec2 outputs = uvec2(~0u);
  intervals.first =
      interval_vector_lines(intervals.first, interval_destinations(segment.tile_first, first_own, segment.present));
  if (kIntervalVectors == 2u)
    intervals.second = interval_vector_lines(
        intervals.second, interval_destinations(segment.tile_first, first_own + 4u, segment.present));
#else
  uvec2 outputs = all.outputs;
  if (!kSearches) {
    outputs = subgroup_uniform(intervals_before_end(tiles).outputs);
    begin = before.outputs;
  }
  outputs = word64_min(outputs, push.max_output);
#endif
  [[unroll]] for (uint i = 0; i < kLaneWords; ++i) weft_begins[interval_invocation() * kLaneWords + i] = 0u;

  // Places of outputs in the tile, then in the segment.
  uvec4 counts_0, counts_1 = uvec4(0u);
  uvec2 rank = uvec2(0u);
  if (segment.is_extra) {
    if (!kSearches) {
      segment.first = word64_multiply(group - tiles - before.extra + 1u, kSegment);
      begin = word64_add_saturated(begin, segment.first);
      start = interval_tile_outputs_before(lane_intervals_sum(intervals));
    }
    const uint units = kSegment - taken;
    const uint own_units = units - min(units, first_own * kEndUnits);
    counts_0 = counts_in_segment(intervals.first, segment.first, own_units, start, rank);
    if (kIntervalVectors == 2u)
      counts_1 =
          counts_in_segment(intervals.second, segment.first, own_units - min(own_units, 4u * kEndUnits), start, rank);
  } else {
    counts_0 = counts_in_first_segment(intervals.first);
    if (kIntervalVectors == 2u) counts_1 = counts_in_first_segment(intervals.second);
  }
  if (!word64_less(begin, outputs)) return false;

  uvec2 total;
  const uvec2 own_counts =
      uvec2(counts_sum(counts_0) + counts_sum(counts_1), counts_not_zero(counts_0) + counts_not_zero(counts_1));
  uvec2 position = interval_exclusive_add(own_counts, total);
#ifdef WEFT_INTERVAL_LISTS_POSITIONS
  // One lane has what is listed first, whatever offsets are.
  if (position.y == 0u && own_counts.y != 0u) weft_first_rank = rank;
#endif
  const uvec2 room = word64_subtract(outputs, begin);
  segment.end = subgroup_uniform(min(min(total.x, kSegment), room.y != 0u ? kSegment : room.x));
  if (segment.end == 0u) return false;
  segment.from_boundary = word64_add(begin, push.head);
  segment.shift = segment.from_boundary.x & (kLine - 1u);
  intervals_list(counts_0, listed_0, segment.shift, segment.end, position);
  if (kIntervalVectors == 2u) intervals_list(counts_1, listed_1, segment.shift, segment.end, position);
  barrier();
  begins_count();
  barrier();
  return true;
}

// ---- the intervals of outputs ----

// Where in the list the interval of an output is. `position`: shift to shift + end - 1.
uint interval_at(uint position) {
  const uint begins = weft_begins[position >> 5];
  return weft_begins_before[position >> 5] + uint(bitCount(begins & ((2u << (position & 31u)) - 1u))) - 1u;
}

// Of the outputs of vector v: where in the list the first one's is, and a bit for each further output with which an
// interval begins. `edge`: the vector may have positions before the segment, which get its first interval.
uint interval_at_vector(uint v, bool edge, out uint rest) {
  const uint word = v * kVectorItems / 32u;
  const uint bit = v * kVectorItems & 31u;
  const uint begins = weft_begins[word];
  uint at = weft_begins_before[word] + uint(bitCount(begins & ((2u << bit) - 1u)));
  rest = (begins >> bit) & ((1u << kVectorItems) - 1u) & ~1u;
  if (edge && at == 0u) {
    at = 1u;
    rest &= rest - 1u;
  }
  return at - 1u;
}

#endif
