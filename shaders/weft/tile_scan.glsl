// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan inside a tile, in two halves: what each lane's vectors have in front of them inside the tile, and, once the prefix of the
// tile is known, the outputs.
//
// Full tiles with aligned outputs, all but a few, keep their words in registers between the halves, in unrolled code. The others
// (the first and last of a range, and all where output and input are displaced) go row by row in loops and read their items
// twice: small code that a driver compiles quickly and that costs the fast path no registers. Both combine in the same order.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_TILE_SCAN_GLSL
#define WEFT_TILE_SCAN_GLSL

#include "weft/tile.glsl"
#include "weft/workgroup_scan.glsl"

layout(constant_id = 4) const bool kInclusive = false;

uvec2 tile_output_address(uvec2 output_address, TileRange range, uint tile) {
  return word64_add(word64_subtract(output_address, uvec2(range.head * WEFT_OUTPUT_BYTES, 0u)),
                    word64_multiply(tile, kTileOutputBytes));
}

// A tile on its way through.
struct TileScan {
  uvec2 source;
  uvec2 target;
  uvec2 present;
  bool fast;
};

TileScan tile_scan_of(uvec2 items, uvec2 outputs, TileRange range, uint tile) {
  TileScan scan;
  scan.source = tile_input_address(items, range, tile);
  scan.target = tile_output_address(outputs, range, tile);
  scan.present = tile_present(range, tile);
  scan.fast = tile_is_full(scan.present) && tile_output_is_aligned(scan.target);
  return scan;
}

// From a vector's total: the combination of this subgroup's items before the vector, carrying `running` from row to row.
Accumulator tile_row_before(Accumulator total, inout Accumulator running) {
  const Accumulator inclusive = subgroup_inclusive(total);
  const Accumulator shifted = subgroup_shuffle_up(inclusive, 1u);
  const Accumulator before = subgroup_lane() == 0u ? running : combine(running, shifted);
  running = combine(running, subgroup_shuffle(inclusive, kSubgroupSize - 1u));
  return before;
}

// The combination of this subgroup's items; row by row.
Accumulator tile_total_by_rows(TileScan scan) {
  Accumulator running = identity();
  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row);
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(scan.source, scan.present, v, vector);
    tile_row_before(tile_vector_total(vector, scan.present, v), running);
  }
  return running;
}

// Adds a row's total to what is folded so far: per lane where the operator commutes, else per subgroup.
Accumulator tile_fold_row(Accumulator folded, Accumulator total) {
  return combine(folded, kCommutes ? total : subgroup_reduce(total));
}

Accumulator tile_fold_across(Accumulator folded, uint slot) {
  Accumulator aggregate;
  workgroup_exclusive_of_subgroups(kCommutes ? subgroup_reduce(folded) : folded, slot, aggregate);
  return aggregate;
}

Accumulator tile_fold_by_rows(TileScan scan) {
  Accumulator folded = identity();
  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row);
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(scan.source, scan.present, v, vector);
    folded = tile_fold_row(folded, tile_vector_total(vector, scan.present, v));
  }
  return folded;
}

// The combination of a tile's items, on all invocations; row by row.
Accumulator tile_aggregate_by_rows(TileScan scan, uint slot) { return tile_fold_across(tile_fold_by_rows(scan), slot); }

// The same bits, with all loads of a full tile under way at once.
Accumulator tile_aggregate(TileScan scan, uint slot) {
  Accumulator folded = identity();
  if (tile_is_full(scan.present)) {
    uint words[WEFT_TILE_WORDS];
    tile_load(scan.source, words);
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      uint vector[WEFT_VECTOR_INPUT_WORDS];
      tile_row(words, row, vector);
      folded = tile_fold_row(folded, vector_total(vector));
    }
  } else {
    folded = tile_fold_by_rows(scan);
  }
  return tile_fold_across(folded, slot);
}

#define WEFT_TILE_HELD_WORDS (WEFT_MAX_ROWS * WEFT_VECTOR_HELD_WORDS)

// Reads a tile's words ahead of tile_scan_total(), so that they travel while the caller does something else.
void tile_scan_fetch(TileScan scan, inout uint words[WEFT_TILE_WORDS]) {
  if (scan.fast) tile_load(scan.source, words);
}

// First half: returns the combination of this subgroup's items. On the fast path `held` gets each vector's scan from the
// subgroup's first item on.
Accumulator tile_scan_total(TileScan scan, uint words[WEFT_TILE_WORDS], out uint held[WEFT_TILE_HELD_WORDS]) {
  if (!scan.fast) return tile_total_by_rows(scan);
  Accumulator running = identity();
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_row(words, row, vector);
    const Accumulator before = tile_row_before(vector_total(vector), running);
    uint scanned[WEFT_VECTOR_HELD_WORDS];
    vector_scan(vector, before, kInclusive, true, 0u, 0u, scanned);
    [[unroll]] for (uint i = 0; i < WEFT_VECTOR_HELD_WORDS; ++i) held[row * WEFT_VECTOR_HELD_WORDS + i] = scanned[i];
  }
  return running;
}

// Second half, row by row. `prefix`: the combination of all items before this subgroup's.
void tile_scan_store_by_rows(TileScan scan, Accumulator prefix) {
  Accumulator running = identity();
  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row);
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(scan.source, scan.present, v, vector);
    const Accumulator before = tile_row_before(tile_vector_total(vector, scan.present, v), running);
    const uvec2 inside = tile_present_in_vector(scan.present, v);
    uint scanned[WEFT_VECTOR_HELD_WORDS];
    vector_scan(vector, before, kInclusive, tile_is_full(scan.present), inside.x, inside.y, scanned);
    uint outputs[WEFT_VECTOR_OUTPUT_WORDS];
    vector_finish(scanned, prefix, outputs);
    tile_store_present(scan.target, v, scan.present, outputs);
  }
}

// Second half, from what the first left in `held`.
void tile_scan_store(TileScan scan, uint held[WEFT_TILE_HELD_WORDS], Accumulator prefix) {
  if (scan.fast) {
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      uint scanned[WEFT_VECTOR_HELD_WORDS];
      [[unroll]] for (uint i = 0; i < WEFT_VECTOR_HELD_WORDS; ++i) scanned[i] = held[row * WEFT_VECTOR_HELD_WORDS + i];
      uint outputs[WEFT_VECTOR_OUTPUT_WORDS];
      vector_finish(scanned, prefix, outputs);
      tile_store_vector(scan.target, tile_vector(row), outputs);
    }
  } else {
    tile_scan_store_by_rows(scan, prefix);
  }
}

#endif
