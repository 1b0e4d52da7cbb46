// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The runs that begin in a tile. At every head the run before it ends: the head's rank in its subgroup is the index of
// its key among the subgroup's, and of the value of the run before. Both are staged in the subgroup's part of shared
// memory at that rank, so that they are stored densely. That needs no prefix: where the part has room for all runs of
// the subgroup they are staged while the tile waits for it; else row by row afterwards, or not at all if every item is
// a head. The prefix says where they go, and completes the value of the run that was open when the subgroup's items
// began. What is open at the end is the next subgroup's, or the range's last run.
//
// The runs of a tile that is not loadable go straight to their positions, from items that are read again.
#ifndef WEFT_REDUCE_BY_KEY_TILE_GLSL
#define WEFT_REDUCE_BY_KEY_TILE_GLSL

#define WEFT_VECTOR_ITEMS 4
#define WEFT_ROW_COUNTS
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
const uint kStageShare = kStageWords / (kStageKeyWords + WEFT_VALUE_WORDS) / kSubgroupCount;
const uint kStageRuns = kStageShare == 0u ? 1u : kStageShare;  // of a subgroup

// Keys, then values, each word by word.
shared uint weft_stage[(kStageKeyWords + WEFT_VALUE_WORDS) * kStageRuns * kSubgroupCount];

uint stage_position(uint word, uint at) { return (word * kSubgroupCount + subgroup_index()) * kStageRuns + at; }

void stage_put(uint at, uvec2 key, Value value) {
  if (at >= kStageRuns) return;
  weft_stage[stage_position(0u, at)] = key.x;
  if (kStageKeyWords == 2u) weft_stage[stage_position(1u, at)] = key.y;
  [[unroll]] for (uint i = 0; i < WEFT_VALUE_WORDS; ++i)
    weft_stage[stage_position(kStageKeyWords + i, at)] = word_of(value, i);
}

uvec2 stage_key(uint at) {
  return uvec2(weft_stage[stage_position(0u, at)], kStageKeyWords == 2u ? weft_stage[stage_position(1u, at)] : 0u);
}

Value stage_value(uint at) {
  uint words[WEFT_VALUE_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_VALUE_WORDS; ++i) words[i] = weft_stage[stage_position(kStageKeyWords + i, at)];
#if WEFT_ACCUMULATOR == WEFT_OWN
  return Value(accumulator_of_words(words));
#else
  return accumulator_of_words(words);
#endif
}

// ---- loadable tiles ----

struct RunsBefore {
  SegmentBefore row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7;
  uint heads;  // 4 bits a row
  uint runs;   // of the subgroup
};

#define heads_of_row(before, row) ((before.heads >> (4u * row)) & 15u)

// This subgroup's segment, and what its vectors have before them.
Segment runs_total(SegmentTile tile, TileWords words, TileKeys keys, inout RunsBefore before) {
  before.heads = tile_heads(keys, tile.index);
  const RowCounts counts = row_counts(before.heads);
  Segment running = segment_identity();
#define WEFT_BEFORE_ROW(i)                                                                                          \
  if (i < kRows)                                                                                                    \
    before.row_##i = segments_before(heads_of_row(before, i), vector_tail(words.row_##i, heads_of_row(before, i)), \
                                     counts_of_row(counts, i), running);
  WEFT_FOR_ROWS(WEFT_BEFORE_ROW)
#undef WEFT_BEFORE_ROW
  before.runs = running.heads;
  return running;
}

// Stages those of a vector's heads for which there is room, counted from the subgroup's head `first` on.
void stage_vector(TileVector packed, KeyVector keys, uint heads, SegmentBefore before, uint first) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  uint at = before.heads - first;
  Value running = before.value;
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
    const Value value = vector_value(vector, k);
    if (is_head(heads, k)) {
      stage_put(at, key_of_vector(keys, k), running);
      running = value;
      ++at;
    } else {
      running = combine(running, value);
    }
  }
}

// Whether all runs of the subgroup are staged at once. Emulated subgroups have to agree on it, and never do.
#if WEFT_SUBGROUP_EMULATED
bool stages_all(uint runs) { return false; }
#else
bool stages_all(uint runs) { return !subgroup_any(runs > kStageRuns); }
#endif

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

// Writes the staged heads [first, end) of the subgroup. `before`: the segment of everything before the subgroup.
void put_staged(uint first, uint end, Segment before) {
  subgroup_shared_barrier();
  [[dont_unroll]] for (uint i = first + subgroup_lane(); i < end; i += kSubgroupSize) {
    const uint run = before.heads + i;
    put_key(run, stage_key(i - first));
    if (run == 0u) continue;
    const Value value = stage_value(i - first);
    put_value(run - 1u, i == 0u ? combine(before.value, value) : value);
  }
}

// ---- subgroups whose items all begin a run ----
//
// Their keys go straight to their positions, as do the values of the runs that end: each lane stores 16 bytes from a
// multiple of 16 on, the first words of which are the last of the lane before.

// Emulated subgroups would have to agree on it.
#if !WEFT_SUBGROUP_EMULATED && WEFT_ACCUMULATOR != WEFT_OWN && WEFT_ITEM_BYTES == 4 && WEFT_OUTPUT_BYTES == 4

bool are_all_heads(uint runs) {
  return kKeyBytes == 4u && subgroup_all(runs == kRows * kSubgroupSize * WEFT_VECTOR_ITEMS);
}

// Words that a subgroup stores one after the other, four a lane and row.
struct Stream {
  uvec2 address;  // of the first
  uvec3 last;     // on lane 0, of the row before
};

// How many words before the first there are since the last multiple of 16 bytes.
uint stream_late(Stream stream) { return (stream.address.x >> 2) & 3u; }

// `skipped`: so many of the first row's first words are not stored.
void stream_put(inout Stream stream, uint row, uvec4 words, uint skipped) {
  const uint late = stream_late(stream);
  const uint before = (subgroup_lane() - 1u) & (kSubgroupSize - 1u);
  const uvec3 rotated = uvec3(subgroup_shuffle(words.y, before), subgroup_shuffle(words.z, before),
                              subgroup_shuffle(words.w, before));
  const uvec3 earlier = subgroup_lane() == 0u ? stream.last : rotated;
  stream.last = rotated;
  const bool by_two = late >= 2u, by_one = (late & 1u) != 0u;
  const uint w0 = by_two ? earlier.x : earlier.z, w1 = by_two ? earlier.y : words.x;
  const uint w2 = by_two ? earlier.z : words.y, w3 = by_two ? words.x : words.z, w4 = by_two ? words.y : words.w;
  const uvec4 placed = uvec4(by_one ? w0 : w1, by_one ? w1 : w2, by_one ? w2 : w3, by_one ? w3 : w4);
  const uvec2 start = uvec2(stream.address.x & ~15u, stream.address.y);
  if (row == 0u && subgroup_lane() == 0u && late + skipped != 0u) {
    [[unroll]] for (uint i = 0; i < 4u; ++i)
      if (i >= late + skipped) Words(start).at[i] = placed[i];
  } else {
    Words4(start).at[row * kSubgroupSize + subgroup_lane()] = placed;
  }
}

// Stores what is left after the last row.
void stream_end(Stream stream) {
  const uint late = stream_late(stream);
  Words end = Words(word64_add(uvec2(stream.address.x & ~15u, stream.address.y), kRows * kSubgroupSize * 16u));
  if (subgroup_lane() != 0u) return;
  [[unroll]] for (uint i = 0; i < 3u; ++i)
    if (i + late >= 3u) end.at[i + late - 3u] = stream.last[i];
}

struct RunStreams {
  Stream keys, values;
};

RunStreams run_streams(Segment before) {
  const uvec2 values = word64_add(push.values_out, word64_multiply(before.heads, 4u));
  return RunStreams(Stream(word64_add(push.keys_out, word64_multiply(before.heads, 4u)), uvec3(0u)),
                    Stream(word64_subtract(values, uvec2(4u, 0u)), uvec3(0u)));
}

void put_heads(TileVector packed, KeyVector keys, SegmentBefore row_before, Segment before, uint row,
               inout RunStreams streams) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  const Value ended = row_before.heads == 0u ? combine(before.value, row_before.value) : row_before.value;
  stream_put(streams.keys, row, keys.low, 0u);
  stream_put(streams.values, row,
             uvec4(word_of(ended, 0u), word_of(vector_value(vector, 0u), 0u), word_of(vector_value(vector, 1u), 0u),
                   word_of(vector_value(vector, 2u), 0u)),
             before.heads == 0u ? 1u : 0u);
}

#define WEFT_PUT_HEADS(i) \
  if (i < kRows) put_heads(words.words.row_##i, words.keys.row_##i, held.row_##i, before, i, streams);

#define put_all_heads(words, held, before)  \
  RunStreams streams = run_streams(before); \
  WEFT_FOR_ROWS(WEFT_PUT_HEADS)             \
  stream_end(streams.keys);                 \
  stream_end(streams.values)

#else

bool are_all_heads(uint runs) { return false; }
#define put_all_heads(words, held, before)

#endif

// Writes the runs of a row, as many at a time as there is room for.
void put_row(TileVector packed, KeyVector keys, uint heads, SegmentBefore row_before, Segment before) {
  uint first = subgroup_shuffle(row_before.heads, 0u);
  const uint end = subgroup_shuffle(row_before.heads + uint(bitCount(heads)), kSubgroupSize - 1u);
  for (uint staged = 0u; staged < kSubgroupSize * WEFT_VECTOR_ITEMS; staged += kStageRuns) {
    stage_vector(packed, keys, heads, row_before, first);
    put_staged(first, min(end, first + kStageRuns), before);
    subgroup_shared_barrier();
    first = min(end, first + kStageRuns);
  }
}

// Writes the runs of the subgroup straight to their positions, row by row. `before_all`: as put_staged()'s `before`.
void put_by_rows(SegmentTile tile, Segment before_all) {
  Segment running = segment_identity();
  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row);
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(tile.source, tile.present, v, vector);
    const uint heads = segment_tile_heads_of_vector(tile, v);
    const SegmentBefore before = segments_before_vector(tile, v, heads, vector, running);
    const uvec2 inside = tile_present_in_vector(tile.present, v);
    uint run = before_all.heads + before.heads;  // of the next head
    Value ended = before.value;
    [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
      if (k < inside.x || k >= inside.y) continue;
      const Value value = vector_value(vector, k);
      if (!is_head(heads, k)) {
        ended = combine(ended, value);
        continue;
      }
      put_key(run, tile_key(tile.keys, v * WEFT_VECTOR_ITEMS + k));
      if (run != 0u) put_value(run - 1u, run == before_all.heads ? combine(before_all.value, ended) : ended);
      ++run;
      ended = value;
    }
  }
}

// Writes the range's last run, and how many there are, where this is the last tile.
void put_last(SegmentTile tile, Segment prefix, Segment aggregate) {
  if (gl_LocalInvocationIndex != 0u || tile_exists(tile.range, tile.index + 1u)) return;
  const Segment all = combine(prefix, aggregate);
  put_value(all.heads - 1u, all.value);
  put_count(all.heads);
}

// ---- the hooks of a pass: scan/scan_pass.glsl describes them ----

#define PassHeld RunsBefore
#define pass_is_fast(tile) (tile.loadable)
#define pass_total_of runs_total
#include "by_key/by_key_pass.glsl"

// Macros, since copies of a tile for functions take time on NVIDIA's devices.

#define WEFT_STAGE_ROW(i) \
  if (i < kRows) stage_vector(words.words.row_##i, words.keys.row_##i, heads_of_row(held, i), held.row_##i, 0u);

#define pass_stage(tile, words, held)                          \
  if (tile.loadable && stages_all(held.runs)) {                \
    WEFT_FOR_ROWS(WEFT_STAGE_ROW)                              \
  }

#define WEFT_PUT_ROW(i) \
  if (i < kRows) put_row(words.words.row_##i, words.keys.row_##i, heads_of_row(held, i), held.row_##i, before);

#define pass_store(tile, words, held, prefix, subgroups_before, aggregate) \
  const Segment before = combine(prefix, subgroups_before);                \
  if (!tile.loadable) {                                                    \
    put_by_rows(tile, before);                                             \
  } else if (stages_all(held.runs)) {                                      \
    put_staged(0u, held.runs, before);                                     \
  } else if (are_all_heads(held.runs)) {                                   \
    put_all_heads(words, held, before);                                    \
  } else {                                                                 \
    WEFT_FOR_ROWS(WEFT_PUT_ROW)                                            \
  }                                                                        \
  put_last(tile, prefix, aggregate)

void pass_none() {
  if (gl_LocalInvocationIndex == 0u) put_count(0u);
}

#endif
