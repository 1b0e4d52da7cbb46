// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The scan inside a tile of segments, in two halves: each item's scan from the last head in its subgroup's share on,
// and, once the prefix of the tile is known, the outputs. Until then it is held which items are open: no head of the
// share is before them or on them.
#ifndef WEFT_SCAN_BY_KEY_TILE_GLSL
#define WEFT_SCAN_BY_KEY_TILE_GLSL

#define WEFT_VECTOR_ITEMS 4
#include "weft/tile_segments.glsl"
#include "by_key/scan_by_key.h"

layout(push_constant, std430) uniform Push { ScanByKeyPush push; };

TileRange pass_range() { return tile_range(count_of(push.count, push.count_words, push.count_value), push.head); }

SegmentTile pass_tile(TileRange range, uint index) { return segment_tile_of(push.keys, push.items, range, index); }

uvec2 push_output_address(SegmentTile tile) {
  return word64_add(word64_subtract(push.outputs, uvec2(tile.range.head * WEFT_OUTPUT_BYTES, 0u)),
                    word64_multiply(tile.index, kTileOutputBytes));
}

// The start of a range is one of a segment.
Segment pass_initial() { return Segment(value_of_bits(push.initial), 0u); }

// What stands before an item: of an open one `open`, of others the initial value.
struct PrefixValues {
  Value open;
  Value initial;
};

// `prefix`: the segment of everything before a subgroup's items, from pass_initial() on.
PrefixValues prefix_values_of(Segment prefix) {
  const Value initial = value_of_bits(push.initial);
  return PrefixValues(prefix.heads != 0u ? combine(initial, prefix.value) : prefix.value, initial);
}

// The items of a vector that are open, as bits.
uint vector_open(SegmentBefore before, uint heads) {
  if (before.heads != 0u) return 0u;
  return heads == 0u ? 15u : (heads & (~heads + 1u)) - 1u;
}

void vector_scan_segments(uint vector[WEFT_VECTOR_INPUT_WORDS], uint heads, Value before, bool whole, uvec2 inside,
                          out uint held[WEFT_VECTOR_HELD_WORDS]) {
  Value running = before;
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
    Value own = running;
    Value next = running;
    if (whole || (k >= inside.x && k < inside.y)) {
      const Value value = vector_value(vector, k);
      own = is_head(heads, k) ? value_identity() : running;
      next = is_head(heads, k) ? value : combine(running, value);
    }
    held_put(held, k, kInclusive ? next : own);
    running = next;
  }
}

void vector_finish_segments(uint held[WEFT_VECTOR_HELD_WORDS], uint open, PrefixValues values,
                            out uint outputs[WEFT_VECTOR_OUTPUT_WORDS]) {
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
    const Value front = ((open >> k) & 1u) != 0u ? values.open : values.initial;
    value_put(outputs, k, combine(front, held_value(held, k)));
  }
}

// ---- any tile ----

void scan_by_key_store_by_rows(SegmentTile tile, Segment prefix) {
  const PrefixValues values = prefix_values_of(prefix);
  const uvec2 target = push_output_address(tile);
  Segment running = segment_identity();
  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row);
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(tile.source, tile.present, v, vector);
    const uint heads = segment_tile_heads_of_vector(tile, v);
    const SegmentBefore before = segments_before_vector(tile, v, heads, vector, running);
    uint held[WEFT_VECTOR_HELD_WORDS];
    vector_scan_segments(vector, heads, before.value, tile_is_full(tile.present),
                         tile_present_in_vector(tile.present, v), held);
    uint outputs[WEFT_VECTOR_OUTPUT_WORDS];
    vector_finish_segments(held, vector_open(before, heads), values, outputs);
    tile_store_present(target, v, tile.present, outputs);
  }
}

// ---- fast tiles: loadable, outputs aligned to vectors ----

bool scan_by_key_is_fast(SegmentTile tile) {
  return tile.loadable && tile_output_is_aligned(push_output_address(tile));
}

struct HeldSegmentVector {
  uint words[WEFT_VECTOR_HELD_WORDS];
};
struct HeldSegments {
  HeldSegmentVector row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7;
  uint open;  // 4 bits a row
};

HeldSegmentVector scan_by_key_vector(TileVector packed, uint heads, inout Segment running, out uint open) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  const SegmentBefore before = segments_before(heads, vector_tail(vector, heads, true, uvec2(0u)), running);
  open = vector_open(before, heads);
  HeldSegmentVector held;
  vector_scan_segments(vector, heads, before.value, true, uvec2(0u), held.words);
  return held;
}

// First half: returns this subgroup's segment.
Segment scan_by_key_total(SegmentTile tile, TileWords words, TileKeys keys, inout HeldSegments held) {
  const uint heads = tile_heads(keys, tile.index);
  Segment running = segment_identity();
  uint open;
  held.open = 0u;
#define WEFT_SCAN_ROW(i)                                                                             \
  if (i < kRows) {                                                                                   \
    held.row_##i = scan_by_key_vector(words.row_##i, (heads >> (4u * i)) & 15u, running, open);      \
    held.open |= open << (4u * i);                                                                   \
  }
  WEFT_FOR_ROWS(WEFT_SCAN_ROW)
#undef WEFT_SCAN_ROW
  return running;
}

void scan_by_key_store_vector(uvec2 target, uint row, HeldSegmentVector held, uint open, PrefixValues values) {
  uint outputs[WEFT_VECTOR_OUTPUT_WORDS];
  vector_finish_segments(held.words, open, values, outputs);
  tile_store_vector(target, tile_vector(row), outputs);
}

// Second half.
void scan_by_key_store(SegmentTile tile, HeldSegments held, Segment prefix) {
  const PrefixValues values = prefix_values_of(prefix);
  const uvec2 target = push_output_address(tile);
#define WEFT_STORE_ROW(i) \
  if (i < kRows) scan_by_key_store_vector(target, i, held.row_##i, held.open >> (4u * i), values);
  WEFT_FOR_ROWS(WEFT_STORE_ROW)
#undef WEFT_STORE_ROW
}

// ---- the hooks of a pass: scan/scan_pass.glsl describes them ----

#define PassHeld HeldSegments
#define pass_is_fast(tile) scan_by_key_is_fast(tile)
#define pass_total_of scan_by_key_total
#include "by_key/by_key_pass.glsl"

void pass_stage(SegmentTile tile, PassWords loaded, PassHeld held) {}

void pass_store(SegmentTile tile, PassWords loaded, PassHeld held, Segment prefix, Segment subgroups_before,
                Segment aggregate) {
  const Segment before = combine(prefix, subgroups_before);
  if (scan_by_key_is_fast(tile))
    scan_by_key_store(tile, held, before);
  else
    scan_by_key_store_by_rows(tile, before);
}

void pass_none() {}

#endif
