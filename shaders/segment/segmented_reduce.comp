// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of SegmentedReduce: each workgroup takes a run of tiles of the path, carrying. The segments of a tile's
// items are given by a bit for each item with which one begins. Values of those that end before the tile's last item
// are staged in shared memory in the order of their bits; then every lane has a segment that ends in the tile, finds
// its value by counting bits, and stores it, or the identity. So results are stored in order, and those of empty
// segments with them.
//
// A segment that was open when the workgroup's run began is left to segmented_reduce_direct.comp, kFinish, unless it is
// the first workgroup.
//
// kernel: TYPES ${by_key_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_VECTOR_ITEMS 4
#include "weft/tile_segments.glsl"
#include "weft/partials.glsl"
#include "segment/segmented_path.glsl"
#include "segment/segmented_items.glsl"
#include "core/value_store.glsl"

#define WEFT_VALUE_WORDS (WEFT_SEGMENT_WORDS - 1)

// Ends of a tile are fewer than this.
const uint kMostEnds = kWorkgroupSize * kRows;
const uint kBeginWords = kTileItems / 32u;  // no more than the workgroup has invocations

shared uint weft_begins[kBeginWords];
shared uint weft_begins_before[kBeginWords];  // how many are set in the words before
shared uint weft_begin_counts[kSubgroupCount];
shared uint weft_stage[WEFT_VALUE_WORDS * kMostEnds];

uint invocation() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

// ---- the tile ----

struct PathTile {
  ItemRange range;  // of its items
  uvec2 first_end;  // the first segment that ends in it
  uvec2 first;      // its first item
  uint ends;        // how many end in it
  uint items;
};

PathTile path_tile(SegmentedItems all, PathCut begin, PathCut end) {
  PathTile tile;
  tile.first_end = begin.segments;
  tile.first = word64_add(all.first, begin.items);
  // More only where offsets decrease.
  tile.ends = difference_up_to(end.segments, begin.segments, kMostEnds - 1u);
  tile.items = difference_up_to(end.items, begin.items, kTileUnits);
  tile.range = item_range(tile.first, tile.items, all.present);
  return tile;
}

// The position at which segment number j of those that end in the tile begins, or ends; at the tile's edges, if beyond.
uvec2 segment_positions(PathTile tile, uint j) {
  const uvec2 s = word64_add(tile.first_end, j);
  uvec2 positions = tile.range.present.xx;
  if (j != 0u) positions.x += difference_up_to(offset_at(s), tile.first, tile.items);
  positions.y += difference_up_to(offset_at(word64_add(s, 1u)), tile.first, tile.items);
  return positions;
}

// ---- its items ----

void path_tile_load(PathTile tile, inout TileWords words) {
#define WEFT_LOAD_ROW(i) \
  if (i < kRows) words.row_##i = item_range_load(tile.range, tile_vector(i));
  WEFT_FOR_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
}

void path_tile_load_present(PathTile tile, inout TileWords words) {
#define WEFT_LOAD_ROW(i) \
  if (i < kRows) words.row_##i = item_range_load_present(tile.range, tile_vector(i));
  WEFT_FOR_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
}

// ---- where segments begin ----

// Marks where segments begin that end in the tile, and the one after them, but for the first. Every invocation calls; a
// barrier before and after.
void begins_mark(PathTile tile) {
  if (invocation() < kBeginWords) weft_begins[invocation()] = 0u;
  barrier();
  [[unroll]] for (uint i = 0; i < kRows; ++i) {
    const uint j = i * kWorkgroupSize + invocation();
    if (j < tile.ends) {
      const uvec2 positions = segment_positions(tile, j);
      if (positions.x < positions.y && positions.y < tile.range.present.y)
        atomicOr(weft_begins[positions.y >> 5], 1u << (positions.y & 31u));
    }
  }
  barrier();
  uint own = 0u;
  if (invocation() < kBeginWords) own = uint(bitCount(weft_begins[invocation()]));
  const uint inclusive = subgroup_inclusive_add(own);
  if (subgroup_lane() == kSubgroupSize - 1u) weft_begin_counts[subgroup_index()] = inclusive;
  barrier();
  uint before = inclusive - own;
  for (uint i = 0u; i < kSubgroupCount; ++i) before += i < subgroup_index() ? weft_begin_counts[i] : 0u;
  if (invocation() < kBeginWords) weft_begins_before[invocation()] = before;
}

// How many of the marks at positions before `p` there are.
uint begins_before(uint p) {
  return weft_begins_before[p >> 5] + uint(bitCount(weft_begins[p >> 5] & ((1u << (p & 31u)) - 1u)));
}

uint begins_of_vector(uint v) { return (weft_begins[v >> 3] >> (4u * (v & 7u))) & 15u; }

// ---- values ----

void stage_put(uint at, Value value) {
  if (at >= kMostEnds) return;
  [[unroll]] for (uint i = 0; i < WEFT_VALUE_WORDS; ++i) weft_stage[i * kMostEnds + at] = word_of(value, i);
}

Value stage_value(uint at) {
  uint words[WEFT_VALUE_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_VALUE_WORDS; ++i) words[i] = weft_stage[i * kMostEnds + min(at, kMostEnds - 1u)];
#if WEFT_ACCUMULATOR == WEFT_OWN
  return Value(accumulator_of_words(words));
#else
  return accumulator_of_words(words);
#endif
}

struct PathRows {
  SegmentBefore row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7;
};

SegmentBefore path_row_before(PathTile tile, TileVector packed, uint v, uint begins, inout Segment running) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  return segments_before(begins, vector_tail(vector, begins, false, tile_present_in_vector(tile.range.present, v)),
                         running);
}

// This subgroup's segment, and what its vectors have before them.
Segment path_rows_total(PathTile tile, TileWords words, inout PathRows before) {
  Segment running = segment_identity();
#define WEFT_BEFORE_ROW(i)                                                                               \
  if (i < kRows) {                                                                                       \
    const uint begins = tile.ends != 0u ? begins_of_vector(tile_vector(i)) : 0u;                         \
    before.row_##i = path_row_before(tile, words.row_##i, tile_vector(i), begins, running);              \
  }
  WEFT_FOR_ROWS(WEFT_BEFORE_ROW)
#undef WEFT_BEFORE_ROW
  return running;
}

// At each mark of a vector, the value of the segment before it is complete, but for what earlier tiles have of the
// first one.
void path_row_stage(PathTile tile, TileVector packed, uint v, SegmentBefore before, Segment subgroups_before) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  const uvec2 inside = tile_present_in_vector(tile.range.present, v);
  const uint begins = begins_of_vector(v);
  uint at = begins_before(v * WEFT_VECTOR_ITEMS);
  Value running = before.heads == 0u ? combine(subgroups_before.value, before.value) : before.value;
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
    if (k < inside.x || k >= inside.y) continue;
    const Value value = vector_value(vector, k);
    if (is_head(begins, k)) {
      stage_put(at, running);
      ++at;
      running = value;
    } else {
      running = combine(running, value);
    }
  }
}

void path_rows_stage(PathTile tile, TileWords words, PathRows before, Segment subgroups_before) {
#define WEFT_STAGE_ROW(i) \
  if (i < kRows) path_row_stage(tile, words.row_##i, tile_vector(i), before.row_##i, subgroups_before);
  WEFT_FOR_ROWS(WEFT_STAGE_ROW)
#undef WEFT_STAGE_ROW
}

// Stores the values of the segments that end in the tile. `last`: of its items after the last mark.
void path_ends_store(PathTile tile, Value last, Segment carry) {
  [[unroll]] for (uint i = 0; i < kRows; ++i) {
    const uint j = i * kWorkgroupSize + invocation();
    if (j < tile.ends) {
      const uvec2 positions = segment_positions(tile, j);
      Value value = value_identity();
      if (positions.x < positions.y)
        value = positions.y == tile.range.present.y ? last : stage_value(begins_before(positions.x + 1u));
      if (j == 0u) value = combine(carry.value, value);
      if (j == 0u && carry.heads == 0u && gl_WorkGroupID.x != 0u)
        partials_store(push.carries, push.groups + gl_WorkGroupID.x, Segment(value, 1u));
      else
        value_store(word64_add(push.outputs, word64_times(word64_add(tile.first_end, j), WEFT_OUTPUT_BYTES)), value);
    }
  }
}

void main() {
  const SegmentedItems all = segmented_items();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  if (!path_tile_exists(all, first_tile)) return;

  Segment carry = segment_identity();
  PathCut begin = path_cut(all, first_tile);
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!path_tile_exists(all, first_tile + i)) break;
    const PathCut end = path_cut(all, first_tile + i + 1u);
    const PathTile tile = path_tile(all, begin, end);
    TileWords words;
    if (tile.range.loadable)
      path_tile_load(tile, words);
    else if (tile.items != 0u)
      path_tile_load_present(tile, words);
    if (tile.ends != 0u) {
      begins_mark(tile);
      barrier();
    }
    PathRows before;
    const Segment own = path_rows_total(tile, words, before);
    Segment aggregate;
    const Segment subgroups_before = workgroup_exclusive_of_subgroups(own, i & 1u, aggregate);
    Segment added = Segment(aggregate.value, 0u);
    if (tile.ends != 0u) {
      path_rows_stage(tile, words, before, subgroups_before);
      barrier();
      path_ends_store(tile, aggregate.value, carry);
      // Nothing is open where the last one ends with the tile's items.
      added.heads = 1u;
      if (segment_positions(tile, tile.ends - 1u).y == tile.range.present.y) added.value = value_identity();
      barrier();
    }
    carry = combine(carry, added);
    begin = end;
  }
  if (gl_LocalInvocationIndex == 0u && push.groups > 1u) partials_store(push.carries, gl_WorkGroupID.x, carry);
}
