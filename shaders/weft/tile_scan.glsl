// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan inside a tile, in two halves: the prefix of each lane's vectors inside the tile, and, once the prefix of the
// tile is known, the outputs.
//
// Tiles that begin with an item and have aligned inputs and outputs, all but a few, keep their words in registers
// between the halves, in code written out per row. What they hold of items absent at the end of the range reaches no
// output: it only comes after them. The others (the first of a range, and all where output and input are displaced) go
// row by row in loops and read their items twice: small code that a driver compiles quickly and that costs the fast
// path no registers. Both combine in the same order.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_TILE_SCAN_GLSL
#define WEFT_TILE_SCAN_GLSL

#include "weft/tile.glsl"
#include "weft/workgroup_scan.glsl"
#include "weft/tile_scan.h"

uvec2 tile_output_address(uvec2 output_address, TileRange range, uint tile) {
  return word64_add(word64_subtract(output_address, uvec2(range.head * WEFT_OUTPUT_BYTES, 0u)),
                    word64_multiply(tile, kTileOutputBytes));
}

// A tile on its way through.
struct TileScan {
  uvec2 source;
  uvec2 target;
  uvec2 present;
  uint whole;  // of a fast tile: vectors before the first that is cut or absent
  bool fast;
};

TileScan tile_scan_of(uvec2 items, uvec2 outputs, TileRange range, uint tile) {
  TileScan scan;
  scan.source = tile_input_address(items, range, tile);
  scan.target = tile_output_address(outputs, range, tile);
  scan.present = tile_present(range, tile);
  scan.whole = scan.present.y / WEFT_VECTOR_ITEMS;
  scan.fast = scan.present.x == 0u && tile_is_aligned(scan.source) && tile_output_is_aligned(scan.target);
#if WEFT_ITEM == WEFT_OWN
  // A user's operator gets items of the input alone.
  scan.fast = scan.fast && tile_is_full(scan.present);
#endif
  return scan;
}

// From a vector's total: the aggregate of this subgroup's items before the vector, carrying `running` from row to row.
Accumulator tile_row_before(Accumulator total, inout Accumulator running) {
  const Accumulator inclusive = subgroup_inclusive(total);
  const Accumulator shifted = subgroup_shuffle_up(inclusive, 1u);
  const Accumulator before = subgroup_lane() == 0u ? running : combine(running, shifted);
  running = combine(running, subgroup_shuffle(inclusive, kSubgroupSize - 1u));
  return before;
}

// The aggregate of this subgroup's items; row by row.
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

// Outputs, row by row. `prefix`: the aggregate of all items before this subgroup's.
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

// ---- fast tiles: the first item is there, inputs and outputs are aligned to vectors ----

// A vector's scan from its subgroup's first item on; of u8 that widen, the items and what is before them, which take
// fewer registers: 4 % of a scan of u8 to u32.
#define WEFT_HOLDS_ITEMS (WEFT_ITEM == WEFT_U8 && WEFT_ACCUMULATOR != WEFT_U8)
#if WEFT_HOLDS_ITEMS
struct HeldVector {
  TileVector items;
  Accumulator before;
};
#else
struct HeldVector {
  uint words[WEFT_VECTOR_HELD_WORDS];
};
#endif
struct TileHeld {
  HeldVector row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7;
};

// Reads a tile's words, for tile_scan_total().
void tile_scan_fetch(TileScan scan, inout TileWords words) {
  if (!scan.fast) return;
  if (tile_is_full(scan.present))
    tile_load(scan.source, words);
  else
    tile_load_cut(scan.source, scan.present, words);
}

HeldVector tile_scan_vector(TileVector packed, inout Accumulator running) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  const Accumulator before = tile_row_before(vector_total(vector), running);
  HeldVector held;
#if WEFT_HOLDS_ITEMS
  held.items = packed;
  held.before = before;
#else
  vector_scan(vector, before, kInclusive, true, 0u, 0u, held.words);
#endif
  return held;
}

// First half: returns the aggregate of this subgroup's items.
Accumulator tile_scan_total(TileWords words, inout TileHeld held) {
  Accumulator running = identity();
#define WEFT_SCAN_ROW(i) \
  if (i < kRows) held.row_##i = tile_scan_vector(words.row_##i, running);
  WEFT_FOR_ROWS(WEFT_SCAN_ROW)
#undef WEFT_SCAN_ROW
  return running;
}

// Gives in `cut` the outputs of the vector that is cut, if this lane has it.
void tile_scan_store_vector(TileScan scan, uint row, HeldVector held, Accumulator prefix,
                            inout uint cut[WEFT_VECTOR_OUTPUT_WORDS], inout bool has_cut) {
  const uint v = tile_vector(row);
  uint outputs[WEFT_VECTOR_OUTPUT_WORDS];
#if WEFT_HOLDS_ITEMS
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(held.items, vector);
  vector_scan(vector, combine(prefix, held.before), kInclusive, true, 0u, 0u, outputs);
#else
  vector_finish(held.words, prefix, outputs);
#endif
  if (v < scan.whole) {
    tile_store_vector(scan.target, v, outputs);
  } else if (v == scan.whole) {
    cut = outputs;
    has_cut = true;
  }
}

// Second half. `prefix` as above.
void tile_scan_store(TileScan scan, TileHeld held, Accumulator prefix) {
  uint cut[WEFT_VECTOR_OUTPUT_WORDS];
  bool has_cut = false;
#define WEFT_STORE_ROW(i) \
  if (i < kRows) tile_scan_store_vector(scan, i, held.row_##i, prefix, cut, has_cut);
  WEFT_FOR_ROWS(WEFT_STORE_ROW)
#undef WEFT_STORE_ROW
  if (has_cut) tile_store_present(scan.target, scan.whole, scan.present, cut);
}

#endif
