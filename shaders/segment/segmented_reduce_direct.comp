// SPDX-License-Identifier: MIT OR Apache-2.0
//
// SegmentedReduce with a workgroup for each segment: for segments of some hundred items and more, and for few items,
// where the cuts of the path cost more than they balance.
//
// A segment of more than kSliceItems items is long: one workgroup would take too much time for it. So the first
// push.groups workgroups each take a slice, kSliceItems items that begin at a multiple of that, whatever segments they
// are of. A slice meets two long segments at most: one that covers its first item, and one that begins after that and
// covers its last. It stores both parts, or that there are none; a second dispatch, kJoin, combines the parts of each
// long segment, in order, at the slice where it ends.
//
// kReduceFew is for few short segments: each has a subgroup, or the workgroup if it has more than kSubgroupItems items.
// A call of that pass has no slices.
//
// The last pass of the path, kFinish, is here too: in one module with the path's second pass it would make that 7 %
// slower on an H200.
//
// kernel: TYPES ${by_key_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_VECTOR_ITEMS 4
#include "weft/tile.glsl"
#include "weft/segment.glsl"
#include "weft/partials.glsl"
#include "segment/segmented_path.glsl"
#include "segment/segmented_items.glsl"
#include "segment/segmented_reduce_direct.h"
#include "core/value_store.glsl"

const uint kReduce = 0u, kJoin = 1u, kFinish = 2u, kReduceFew = 3u;
const uint kSliceItems = 1u << kSliceLog;
// A range's first item lies anywhere in a vector.
const uint kSubgroupItems = (kRows * kSubgroupSize - 1u) * WEFT_VECTOR_ITEMS;

// A slice's record: the segment, and these flags of its part that covers the slice's first item.
const uint kHasFirst = 1u, kFirstEnds = 2u;

shared uint weft_ended[kWorkgroupSize];
shared uint weft_ended_count;

uint invocation() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

void segment_store(uvec2 segment, Value value) {
  value_store(word64_add(push.outputs, word64_times(segment, WEFT_OUTPUT_BYTES)), value);
}

// ---- the aggregate of a range of items ----

// The workgroup's values combined, in order, the same on all invocations. Holds one barrier; calls alternate `slot`.
Value workgroup_value(Value own, inout uint slot) {
  const uint first = slot * kSubgroupCount;
  const Value total = subgroup_reduce(own);
  if (subgroup_lane() == 0u) weft_subgroup_totals[first + subgroup_index()].value = total;
  barrier();
  Value whole = weft_subgroup_totals[first].value;
  for (uint i = 1u; i < kSubgroupCount; ++i) whole = combine(whole, weft_subgroup_totals[first + i].value);
  slot ^= 1u;
  return whole;
}

Value range_row(ItemRange range, TileVector packed, uint v) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  const uvec2 inside = tile_present_in_vector(range.present, v);
  return Value(vector_total_where(vector, inside.x, inside.y));
}

void range_add_row(ItemRange range, TileVector packed, uint v, inout uint slot, inout Value folded) {
  const Value total = range_row(range, packed, v);
  folded = combine(folded, kValuesCommute ? total : workgroup_value(total, slot));
}

// The aggregate of `items` items from the first on, on all invocations. Every invocation calls.
Value range_total(uvec2 first, uint items, uvec2 all, inout uint slot) {
  Value folded = value_identity();
  if (items == 0u) return folded;
  const ItemRange range = item_range(first, items, all);
  const uint vectors = (range.present.y + WEFT_VECTOR_ITEMS - 1u) / WEFT_VECTOR_ITEMS;
  for (uint v = 0u; v < vectors; v += kTileVectors) {
    TileWords words;
#define WEFT_LOAD_ROW(i)                                  \
  if (i < kRows) {                                        \
    const uint at = v + i * kWorkgroupSize + invocation();     \
    if (range.loadable)                                   \
      words.row_##i = item_range_load(range, at);         \
    else                                                  \
      words.row_##i = item_range_load_present(range, at); \
  }
    WEFT_FOR_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
#define WEFT_ADD_ROW(i) \
  if (i < kRows) range_add_row(range, words.row_##i, v + i * kWorkgroupSize + invocation(), slot, folded);
    WEFT_FOR_ROWS(WEFT_ADD_ROW)
#undef WEFT_ADD_ROW
  }
  return kValuesCommute ? workgroup_value(folded, slot) : folded;
}

// The same of at most kSubgroupItems items for each subgroup, on its lanes.
Value subgroup_range_total(uvec2 first, uint items, uvec2 all) {
  const ItemRange range = item_range(first, items, all);
  TileWords words;
#define WEFT_LOAD_ROW(i)                                  \
  if (i < kRows && items != 0u) {                         \
    const uint at = i * kSubgroupSize + subgroup_lane();  \
    if (range.loadable)                                   \
      words.row_##i = item_range_load(range, at);         \
    else                                                  \
      words.row_##i = item_range_load_present(range, at); \
  }
  WEFT_FOR_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
  Value folded = value_identity();
#define WEFT_ADD_ROW(i)                                                                       \
  if (i < kRows) {                                                                            \
    const Value total = range_row(range, words.row_##i, i * kSubgroupSize + subgroup_lane()); \
    folded = combine(folded, kValuesCommute ? total : subgroup_reduce(total));                \
  }
  WEFT_FOR_ROWS(WEFT_ADD_ROW)
#undef WEFT_ADD_ROW
  return kValuesCommute ? subgroup_reduce(folded) : folded;
}

// ---- a segment ----

// Where segment `s` begins and ends, among the items there are.
void segment_bounds(uvec2 s, uvec2 items, out uvec2 begin, out uvec2 end) {
  begin = subgroup_uniform(word64_min(offset_at(s), items));
  end = subgroup_uniform(word64_max(begin, word64_min(offset_at(word64_add(s, 1u)), items)));
}

bool is_long(uvec2 begin, uvec2 end) { return word64_less(uvec2(kSliceItems, 0u), word64_subtract(end, begin)); }

void segment_reduce(uvec2 s, uvec2 segments, uvec2 items, inout uint slot) {
  if (!word64_less(s, segments)) return;
  uvec2 begin, end;
  segment_bounds(s, items, begin, end);
  if (is_long(begin, end)) return;
  const Value total = range_total(begin, word64_subtract(end, begin).x, items, slot);
  if (gl_LocalInvocationIndex == 0u) segment_store(s, total);
}

// As many segments as there are subgroups, from the first on.
void segments_reduce(uvec2 first, uvec2 segments, uvec2 items) {
  const uvec2 s = word64_add(first, subgroup_index());
  uvec2 begin = uvec2(0u), end = uvec2(0u);
  const bool there = word64_less(s, segments);
  if (there) segment_bounds(s, items, begin, end);
  const uvec2 count = word64_subtract(end, begin);
  const bool fits = count.y == 0u && count.x <= kSubgroupItems;
  const Value total = subgroup_range_total(begin, fits ? count.x : 0u, items);
  if (subgroup_lane() == 0u) {
    if (there && fits) segment_store(s, total);
    weft_ended[subgroup_index()] = fits ? 0u : 1u;
  }
  barrier();
  uint slot = 0u;
  for (uint i = 0u; i < kSubgroupCount; ++i)
    if (subgroup_uniform(weft_ended[i]) != 0u) segment_reduce(word64_add(first, i), segments, items, slot);
}

// ---- a slice ----

// How many of the offsets are at most `item`. A subgroup's lanes probe side by side.
uvec2 offsets_through(uvec2 item, uvec2 segments) {
  const uint shift = uint(findMSB(kSubgroupSize));
  uvec2 low = uvec2(0u);
  uvec2 high = word64_add(segments, 1u);
  for (uint step = 0u; step < 33u && word64_less(low, high); ++step) {
    const uvec2 rest = word64_subtract(high, low);
    const uvec2 stride = word64_shift_right(word64_add(rest, kSubgroupSize - 1u), shift);
    const uvec2 probe = word64_subtract(word64_add(low, word64_times(stride, subgroup_lane() + 1u)), uvec2(1u, 0u));
    const bool before = word64_less(probe, high) && !word64_less(item, offset_at(word64_min(probe, segments)));
    const uint passed = ballot_bit_count(subgroup_ballot(before));
    low = word64_add(low, word64_times(stride, passed));
    if (passed < kSubgroupSize) high = word64_min(high, word64_subtract(word64_add(low, stride), uvec2(1u, 0u)));
  }
  return subgroup_uniform(word64_min(low, high));
}

void slice_reduce(uint slice, uvec2 segments, uvec2 items) {
  const uvec2 begin = word64_multiply(slice, kSliceItems);
  uvec4 record = uvec4(0u);
  if (word64_less(begin, items)) {
    const uvec2 end = word64_min(word64_add(begin, kSliceItems), items);
    const uvec2 through_first = offsets_through(begin, segments);
    const uvec2 through_last = offsets_through(word64_subtract(end, uvec2(1u, 0u)), segments);
    uint slot = 0u;
    // The segment of the slice's first item, and that of its last, if another.
    [[unroll]] for (uint part = 0u; part < 2u; ++part) {
      const uvec2 through = part == 0u ? through_first : through_last;
      const bool there =
          through != uvec2(0u) && !word64_less(segments, through) && (part == 0u || through != through_first);
      if (there) {
        const uvec2 s = word64_subtract(through, uvec2(1u, 0u));
        uvec2 first, last;
        segment_bounds(s, items, first, last);
        if (is_long(first, last)) {
          const uvec2 from = word64_max(first, begin);
          const uvec2 to = word64_max(from, word64_min(last, end));
          const Value total = range_total(from, word64_subtract(to, from).x, items, slot);
          if (gl_LocalInvocationIndex == 0u)
            partials_store(push.carries, part * push.groups + slice, Segment(total, 0u));
          if (part == 0u) record = uvec4(s, kHasFirst | (word64_less(end, last) ? 0u : kFirstEnds), 0u);
        }
      }
    }
  }
  if (gl_LocalInvocationIndex == 0u) Words4(push.cuts).at[slice] = record;
}

// ---- the parts of long segments ----

// The segment that ends in `slice`, which covers the slice's first item.
void long_segment_join(uint slice, uvec2 items, uint slot) {
  const uvec2 s = subgroup_uniform(Words4(push.cuts).at[slice].xy);
  uvec2 begin, end;
  segment_bounds(s, items, begin, end);
  const uint begins_in = min(word64_shift_right(begin, kSliceLog).x, slice);
  // It is the first part of the slice in which it begins only if it begins with it.
  const uint part = (begin.x & (kSliceItems - 1u)) == 0u ? 0u : 1u;
  const Segment first = partials_load(push.carries, part * push.groups + begins_in);
  const uvec2 others = word64_add(push.carries, word64_multiply(begins_in + 1u, WEFT_ACCUMULATOR_WORDS * 4u));
  const Segment rest = partials_reduce(others, slice - begins_in, slot);
  if (gl_LocalInvocationIndex == 0u) segment_store(s, combine(first.value, rest.value));
}

// Each workgroup takes tiles_per_workgroup slices.
void long_segments_join(uvec2 items) {
  const uint first = gl_WorkGroupID.x * push.tiles_per_workgroup;
  const uint end = min(first + push.tiles_per_workgroup, push.groups);
  uint slot = 0u;
  for (uint from = first; from < end; from += kWorkgroupSize) {
    if (gl_LocalInvocationIndex == 0u) weft_ended_count = 0u;
    barrier();
    const uint slice = from + invocation();
    if (slice < end && (Words4(push.cuts).at[slice].z & kFirstEnds) != 0u)
      weft_ended[atomicAdd(weft_ended_count, 1u)] = slice;
    barrier();
    const uint ended = min(subgroup_uniform(weft_ended_count), kWorkgroupSize);
    for (uint i = 0u; i < ended; ++i) {
      long_segment_join(subgroup_uniform(weft_ended[i]), items, slot);
      slot ^= 1u;
    }
    barrier();
  }
}

// ---- the last pass of the path ----

// One workgroup combines what workgroups have carried out, in order, and completes for each the first segment that
// ended in its tiles.
void path_finish() {
  const SegmentedItems all = segmented_items();
  const uint run = (push.groups + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = (subgroup_index() * kSubgroupSize + subgroup_lane()) * run;
  const uint end = min(first + run, push.groups);
  // Those without tiles are the last ones, and have stored nothing.
  Segment own = segment_identity();
  for (uint i = 0u; i < run; ++i)
    if (first + i < end && path_tile_exists(all, (first + i) * push.tiles_per_workgroup))
      own = combine(own, partials_load(push.carries, first + i));
  Segment aggregate;
  Segment before = workgroup_exclusive(own, 0u, aggregate);
  for (uint i = 0u; i < run; ++i) {
    const uint group = first + i;
    const uint tile = group * push.tiles_per_workgroup;
    if (group >= end || !path_tile_exists(all, tile)) break;
    const Segment carry = partials_load(push.carries, group);
    const uvec2 segment = Words4(push.cuts).at[tile].xy;
    // There always is one, unless offsets decrease.
    if (group != 0u && carry.heads != 0u && word64_less(segment, all.segments)) {
      const Segment part = partials_load(push.carries, push.groups + group);
      segment_store(segment, combine(before.value, part.value));
    }
    before = combine(before, carry);
  }
}

void main() {
  if (kPass == kFinish) {
    path_finish();
    return;
  }
  const uvec2 segments = count_of(push.count, push.count_words, push.count_value);
  const uvec2 items = count_of(push.item_count, push.item_count_words, push.item_count_value);
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (kPass == kJoin)
    long_segments_join(items);
  else if (kPass == kReduceFew)
    segments_reduce(word64_multiply(group, kSubgroupCount), segments, items);
  else if (group < push.groups)
    slice_reduce(group, segments, items);
  else {
    uint slot = 0u;
    segment_reduce(uvec2(group - push.groups, 0u), segments, items, slot);
  }
}
