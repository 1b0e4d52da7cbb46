// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The runs that begin in a tile. At every head the run before it ends: the head's rank in the tile is the index of its
// key among the tile's, and of the value of the run before. Both are staged in shared memory at that rank, which does
// not need the prefix of the tile, so that nothing is held in registers while the tile waits for it; then the prefix
// says where they go, and completes the value of the run that was open when the tile began. What is open at the end is
// the next tile's, or the range's last run.
//
// A tile of more runs than there is room for, and one that is not loadable, is read again row by row once the prefix is
// known, and its runs go straight to their positions.
#ifndef WEFT_REDUCE_BY_KEY_TILE_GLSL
#define WEFT_REDUCE_BY_KEY_TILE_GLSL

#define WEFT_VECTOR_ITEMS 4
#include "weft/tile_segments.glsl"
#include "by_key/reduce_by_key.h"
#include "core/value_store.glsl"

layout(push_constant, std430) uniform Push { ReduceByKeyPush push; };

TileRange pass_range() { return tile_range(count_of(push.count, push.count_words, push.count_value), push.head); }

SegmentTile pass_tile(TileRange range, uint index) { return segment_tile_of(push.keys, push.items, range, index); }

Segment pass_initial() { return segment_identity(); }

const uint kStageWords = 2048u;
const uint kStageKeyWords = kKeyBytes == 8u ? 2u : 1u;
#define WEFT_VALUE_WORDS (WEFT_SEGMENT_WORDS - 1)
const uint kStageRuns = kStageWords / (kStageKeyWords + WEFT_VALUE_WORDS);

// Keys, then values, each word by word.
shared uint weft_stage[kStageWords];

void stage_put(uint at, uvec2 key, Value value) {
  if (at >= kStageRuns) return;
  weft_stage[at] = key.x;
  if (kStageKeyWords == 2u) weft_stage[kStageRuns + at] = key.y;
  [[unroll]] for (uint i = 0; i < WEFT_VALUE_WORDS; ++i)
    weft_stage[(kStageKeyWords + i) * kStageRuns + at] = word_of(value, i);
}

uvec2 stage_key(uint at) {
  return uvec2(weft_stage[at], kStageKeyWords == 2u ? weft_stage[kStageRuns + at] : 0u);
}

Value stage_value(uint at) {
  uint words[WEFT_VALUE_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_VALUE_WORDS; ++i) words[i] = weft_stage[(kStageKeyWords + i) * kStageRuns + at];
#if WEFT_ACCUMULATOR == WEFT_OWN
  return Value(accumulator_of_words(words));
#else
  return accumulator_of_words(words);
#endif
}

// Where the heads of a vector are staged, and what stands before them.
struct VectorRuns {
  uint at;        // of the next head, counted from the tile's first
  bool open;      // no head of the subgroup is before them
  Value running;  // of the items since the last head of the subgroup, or of all
};

VectorRuns vector_runs(SegmentBefore before, Segment subgroups_before) {
  return VectorRuns(subgroups_before.heads + before.heads, before.heads == 0u, before.value);
}

void stage_item(inout VectorRuns runs, bool head, uvec2 key, Value value, Segment subgroups_before) {
  if (!head) {
    runs.running = combine(runs.running, value);
    return;
  }
  stage_put(runs.at, key, runs.open ? combine(subgroups_before.value, runs.running) : runs.running);
  ++runs.at;
  runs.open = false;
  runs.running = value;
}

// ---- loadable tiles ----

struct RunsBefore {
  SegmentBefore row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7;
  uint heads;  // 4 bits a row
};

// This subgroup's segment, and what its vectors have before them.
Segment runs_total(SegmentTile tile, TileWords words, TileKeys keys, inout RunsBefore before) {
  before.heads = tile_heads(keys, tile.index);
  Segment running = segment_identity();
#define WEFT_BEFORE_ROW(i)                                                                                       \
  if (i < kRows)                                                                                                 \
    before.row_##i = segments_before((before.heads >> (4u * i)) & 15u,                                           \
                                     vector_tail(words.row_##i, (before.heads >> (4u * i)) & 15u), running);
  WEFT_FOR_ROWS(WEFT_BEFORE_ROW)
#undef WEFT_BEFORE_ROW
  return running;
}

void stage_vector(TileVector packed, KeyVector keys, uint heads, SegmentBefore before, Segment subgroups_before) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  VectorRuns runs = vector_runs(before, subgroups_before);
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k)
    stage_item(runs, is_head(heads, k), key_of_vector(keys, k), vector_value(vector, k), subgroups_before);
}

void stage(TileWords words, TileKeys keys, RunsBefore before, Segment subgroups_before) {
#define WEFT_STAGE_ROW(i) \
  if (i < kRows)          \
    stage_vector(words.row_##i, keys.row_##i, (before.heads >> (4u * i)) & 15u, before.row_##i, subgroups_before);
  WEFT_FOR_ROWS(WEFT_STAGE_ROW)
#undef WEFT_STAGE_ROW
}

// ---- outputs ----

void put_key(uint run, uvec2 key) {
  bits_store(word64_add(push.keys_out, word64_multiply(run, kKeyBytes)), kKeyBytes, key);
}

void put_value(uint run, Value value) {
  value_store(word64_add(push.values_out, word64_multiply(run, WEFT_OUTPUT_BYTES)), value);
}

void put_count(uint runs) {
  Words count = Words(push.count_out);
  count.at[0] = runs;
  if (push.count_out_words == 2u) count.at[1] = 0u;
}

// Writes the runs of a tile that are all staged. `prefix`: the segment of everything before the tile.
void put_staged(Segment prefix, uint runs) {
  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
  for (uint i = position; i < runs; i += kWorkgroupSize) {
    const uint run = prefix.heads + i;
    put_key(run, stage_key(i));
    if (run == 0u) continue;
    const Value value = stage_value(i);
    put_value(run - 1u, i == 0u ? combine(prefix.value, value) : value);
  }
}

// Writes the runs of a tile straight to their positions, row by row.
void put_by_rows(SegmentTile tile, Segment prefix, Segment subgroups_before) {
  Segment running = segment_identity();
  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row);
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(tile.source, tile.present, v, vector);
    const uint heads = segment_tile_heads_of_vector(tile, v);
    const SegmentBefore before = segments_before_vector(tile, v, heads, vector, running);
    const uvec2 inside = tile_present_in_vector(tile.present, v);
    VectorRuns runs = vector_runs(before, subgroups_before);
    [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
      if (k < inside.x || k >= inside.y) continue;
      const Value value = vector_value(vector, k);
      if (!is_head(heads, k)) {
        runs.running = combine(runs.running, value);
        continue;
      }
      Value ended = runs.running;
      if (runs.open) ended = combine(subgroups_before.value, ended);
      if (runs.at == 0u) ended = combine(prefix.value, ended);
      const uint run = prefix.heads + runs.at;
      put_key(run, tile_key(tile.keys, v * WEFT_VECTOR_ITEMS + k));
      if (run != 0u) put_value(run - 1u, ended);
      runs = VectorRuns(runs.at + 1u, false, value);
    }
  }
}

// Writes the runs of a tile. `staged`: all of its runs are, if they fit. Every invocation of the workgroup calls,
// uniformly, after a barrier.
void put_tile(SegmentTile tile, bool staged, Segment prefix, Segment subgroups_before, Segment aggregate) {
  if (staged && aggregate.heads <= kStageRuns)
    put_staged(prefix, aggregate.heads);
  else
    put_by_rows(tile, prefix, subgroups_before);
  if (gl_LocalInvocationIndex == 0u && !tile_exists(tile.range, tile.index + 1u)) {
    const Segment all = combine(prefix, aggregate);
    put_value(all.heads - 1u, all.value);
    put_count(all.heads);
  }
}

// ---- the hooks of a pass: scan/scan_pass.glsl describes them ----

const bool kPassStages = true;
#define PassHeld RunsBefore
#define pass_is_fast(tile) (tile.loadable)
#define pass_total_of runs_total
#include "by_key/by_key_pass.glsl"

void pass_stage(SegmentTile tile, PassWords loaded, PassHeld held, Segment subgroups_before) {
  if (tile.loadable) stage(loaded.words, loaded.keys, held, subgroups_before);
}

void pass_store(SegmentTile tile, PassHeld held, Segment prefix, Segment subgroups_before, Segment aggregate) {
  put_tile(tile, tile.loadable, prefix, subgroups_before, aggregate);
}

void pass_none() {
  if (gl_LocalInvocationIndex == 0u) put_count(0u);
}

#endif
