// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tiles of items that fall into segments: how a tile is loaded with its heads, what it carries on, and what each lane's
// vectors have before them. Full tiles whose ranges are aligned keep their words in registers, in code written out
// per row; the others go row by row in loops and read their items twice, as in tile_scan.glsl.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_TILE_SEGMENTS_GLSL
#define WEFT_TILE_SEGMENTS_GLSL

#include "weft/tile_heads.glsl"
#include "weft/segment.glsl"
#include "weft/workgroup_scan.glsl"

struct SegmentTile {
  uvec2 keys;
  uvec2 source;
  uvec2 present;
  TileRange range;
  uint index;
  bool loadable;
};

SegmentTile segment_tile_of(uvec2 keys, uvec2 items, TileRange range, uint index) {
  SegmentTile tile;
  tile.keys = tile_keys_address(keys, range, index);
  tile.source = tile_input_address(items, range, index);
  tile.present = tile_present(range, index);
  tile.range = range;
  tile.index = index;
  tile.loadable = tile_is_loadable(tile.source, tile.present) && tile_keys_are_loadable(tile.keys, range);
  return tile;
}

// Only where the tile is loadable.
void segment_tile_load(SegmentTile tile, inout TileWords words, inout TileKeys keys) {
  tile_load(tile.source, words);
  tile_keys_load(tile.keys, tile.index, keys);
}

uint segment_tile_heads_of_vector(SegmentTile tile, uint v) {
  return tile_heads_of_vector(tile.keys, tile.range, tile.index, tile.present, v);
}

// ---- inside a vector ----

bool is_head(uint heads, uint k) { return ((heads >> k) & 1u) != 0u; }

Value vector_value(uint vector[WEFT_VECTOR_INPUT_WORDS], uint k) {
  return value_of_item(vector_bits(vector, k));
}

// The aggregate of a vector's items since its last head, or of all. Absent items are left out.
Value vector_tail(uint vector[WEFT_VECTOR_INPUT_WORDS], uint heads, bool whole, uvec2 inside) {
  Value tail = whole ? vector_value(vector, 0u) : value_identity();
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
    if (whole ? k == 0u : k < inside.x || k >= inside.y) continue;
    const Value value = vector_value(vector, k);
    tail = is_head(heads, k) ? value : combine(tail, value);
  }
  return tail;
}

Value vector_tail(TileVector packed, uint heads) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  return vector_tail(vector, heads, true, uvec2(0u));
}

// ---- what a tile carries on ----

// What lanes have folded of their subgroup's rows. Values before the subgroup's last head so far are dropped.
struct FoldedSegments {
  Value value;
  uint heads;
};

#if WEFT_ACCUMULATOR == WEFT_OWN && !defined(WEFT_COMMUTES)

// In order: all of the row's lanes, the same on each.
void segments_fold_row(inout FoldedSegments folded, uint heads, Value tail) {
  const Segment row = subgroup_reduce(Segment(tail, uint(bitCount(heads))));
  folded.value = row.heads != 0u ? row.value : combine(folded.value, row.value);
  folded.heads += row.heads;
}

Segment segments_of_subgroup(FoldedSegments folded) {
  return Segment(folded.value, kCountsHeads ? folded.heads : min(folded.heads, 1u));
}

#else

void segments_fold_row(inout FoldedSegments folded, uint heads, Value tail) {
  const uint last = ballot_highest_bit(subgroup_ballot(heads != 0u));
  folded.value = last == 128u ? combine(folded.value, tail) : (subgroup_lane() >= last ? tail : value_identity());
  folded.heads += uint(bitCount(heads));
}

Segment segments_of_subgroup(FoldedSegments folded) {
  Segment own;
  own.value = subgroup_reduce(folded.value);
  if (kCountsHeads)
    own.heads = subgroup_add(folded.heads);
  else
    own.heads = subgroup_any(folded.heads != 0u) ? 1u : 0u;
  return own;
}

#endif

void segments_fold_by_rows(SegmentTile tile, inout FoldedSegments folded) {
  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row);
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(tile.source, tile.present, v, vector);
    const uint heads = segment_tile_heads_of_vector(tile, v);
    segments_fold_row(folded, heads,
                      vector_tail(vector, heads, tile_is_full(tile.present), tile_present_in_vector(tile.present, v)));
  }
}

Segment segments_fold_across(FoldedSegments folded, uint slot) {
  Segment aggregate;
  workgroup_exclusive_of_subgroups(segments_of_subgroup(folded), slot, aggregate);
  return aggregate;
}

// A tile's segment, on all invocations, with all loads of a loadable tile under way at once.
Segment tile_segment(SegmentTile tile, uint slot) {
  FoldedSegments folded = FoldedSegments(value_identity(), 0u);
  if (tile.loadable) {
    TileWords words;
    TileKeys keys;
    segment_tile_load(tile, words, keys);
    const uint heads = tile_heads(keys, tile.index);
#define WEFT_FOLD_ROW(i)                                                         \
  if (i < kRows) {                                                               \
    const uint row_heads = (heads >> (4u * i)) & 15u;                            \
    segments_fold_row(folded, row_heads, vector_tail(words.row_##i, row_heads)); \
  }
    WEFT_FOR_ROWS(WEFT_FOLD_ROW)
#undef WEFT_FOLD_ROW
  } else {
    segments_fold_by_rows(tile, folded);
  }
  return segments_fold_across(folded, slot);
}

// ---- prefixes of vectors ----

// The prefix of a vector inside its subgroup's rows.
struct SegmentBefore {
  Value value;  // of the items since the last head, or of all
  uint heads;   // how many, or 1 for any
};

#ifdef WEFT_ROW_COUNTS

// Heads of a lane's rows, as counted in one scan: kCountRows rows a word.
const uint kCountBits = kSubgroupSize <= 32u ? 8u : 16u;  // of up to 4 * kSubgroupSize
const uint kCountRows = 32u / kCountBits;

// `before`: of the row's lanes before this one; `all`: of all.
struct RowCounts {
  uvec4 before, all;
};

RowCounts row_counts(uint heads) {
  RowCounts counts = RowCounts(uvec4(0u), uvec4(0u));
  [[unroll]] for (uint w = 0; w < 4u; ++w) {
    if (w * kCountRows < kRows) {
      // Of 4 bits each, then as far apart as sums have room.
      uint own = (heads >> (4u * kCountRows * w)) & ((1u << (4u * kCountRows)) - 1u);
      own -= (own >> 1) & 0x5555u;
      own = (own & 0x3333u) + ((own >> 2) & 0x3333u);
      if (kCountBits == 8u) {
        own = (own | (own << 8)) & 0x00ff00ffu;
        own = (own | (own << 4)) & 0x0f0f0f0fu;
      } else {
        own = (own | (own << 12)) & 0x000f000fu;
      }
      const uint through = subgroup_chosen_inclusive_add(own);
      counts.before[w] = through - own;
      counts.all[w] = subgroup_shuffle(through, kSubgroupSize - 1u);
    }
  }
  return counts;
}

// Those of one row: before this lane, and in all.
uvec2 counts_of_row(RowCounts counts, uint row) {
  const uint word = row / kCountRows, bit = kCountBits * (row % kCountRows);
  return (uvec2(counts.before[word], counts.all[word]) >> bit) & ((1u << kCountBits) - 1u);
}

#endif

// From a vector's heads and tail, carrying `running` from row to row. Where heads are counted, `counts` has those of
// the row: before this lane, and in all.
SegmentBefore segments_before(uint heads, Value tail, uvec2 counts, inout Segment running) {
  const uvec4 with_head = subgroup_ballot(heads != 0u);
  const bool any = with_head != uvec4(0u);
  const uint lane = subgroup_lane();
  const Value inclusive = subgroup_inclusive_of_segments(tail, with_head);
  const Value shifted = subgroup_shuffle_up(inclusive, 1u);
  const Value last = subgroup_shuffle(inclusive, kSubgroupSize - 1u);
  SegmentBefore before;
  bool open;  // no head before, in this row
  if (kCountsHeads) {
    open = counts.x == 0u;
    before.heads = running.heads + counts.x;
  } else {
    open = lane == 0u || ballot_highest_bit_through(with_head, lane - 1u) == 128u;
    before.heads = open ? running.heads : 1u;
  }
  before.value = lane == 0u ? running.value : open ? combine(running.value, shifted) : shifted;
  running.value = any ? last : combine(running.value, last);
  running.heads = kCountsHeads ? running.heads + counts.y : running.heads | (any ? 1u : 0u);
  return before;
}

// The same of a row whose heads are counted by themselves.
SegmentBefore segments_before(uint heads, Value tail, inout Segment running) {
  uvec2 counts = uvec2(0u);
#ifdef WEFT_ROW_COUNTS
  const uint own = uint(bitCount(heads));
  const uint through = subgroup_inclusive_add(own);
  counts = uvec2(through - own, subgroup_shuffle(through, kSubgroupSize - 1u));
#endif
  return segments_before(heads, tail, counts, running);
}

SegmentBefore segments_before_vector(SegmentTile tile, uint v, uint heads, uint vector[WEFT_VECTOR_INPUT_WORDS],
                                     inout Segment running) {
  const uvec2 inside = tile_present_in_vector(tile.present, v);
  return segments_before(heads, vector_tail(vector, heads, tile_is_full(tile.present), inside), running);
}

// This subgroup's segment; row by row.
Segment segments_total_by_rows(SegmentTile tile) {
  Segment running = segment_identity();
  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row);
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(tile.source, tile.present, v, vector);
    segments_before_vector(tile, v, segment_tile_heads_of_vector(tile, v), vector, running);
  }
  return running;
}

#endif
