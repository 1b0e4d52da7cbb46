// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan inside a tile, in two halves: what each lane's vectors have in front of them inside the tile, and, once the prefix of the
// tile is known, the outputs. The words stay in registers between the two.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_TILE_SCAN_GLSL
#define WEFT_TILE_SCAN_GLSL

#include "weft/tile.glsl"
#include "weft/workgroup_scan.glsl"

layout(constant_id = 4) const bool kInclusive = false;

// Fills `before[row]` with the combination of the items of this subgroup before this lane's vector of that row, and returns
// that of the whole subgroup.
Accumulator tile_scan_rows(uint words[WEFT_TILE_WORDS], uvec2 present, out Accumulator before[WEFT_MAX_ROWS]) {
  Accumulator running = identity();
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const Accumulator inclusive = subgroup_inclusive(tile_vector_total(words, row, present));
    const Accumulator shifted = subgroup_shuffle_up(inclusive, 1u);
    before[row] = subgroup_lane() == 0u ? running : combine(running, shifted);
    running = combine(running, subgroup_shuffle(inclusive, kSubgroupSize - 1u));
  }
  return running;
}

// Stores a tile's outputs. `prefix`: the combination of all items before this subgroup's.
void tile_scan_store(uvec2 tile_address, uint words[WEFT_TILE_WORDS], uvec2 present, Accumulator prefix,
                     Accumulator before[WEFT_MAX_ROWS]) {
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    uint vector[WEFT_VECTOR_INPUT_WORDS];
    tile_row(words, row, vector);
    const uint v = tile_vector(row);
    const bool full = tile_is_full(present);
    const uint first = v * WEFT_VECTOR_ITEMS;
    uint outputs[WEFT_VECTOR_OUTPUT_WORDS];
    vector_scan(vector, combine(prefix, before[row]), kInclusive, full, present.x - min(first, present.x),
                present.y - min(first, present.y), outputs);
    tile_store_vector(tile_address, v, present, outputs);
  }
}

uvec2 tile_output_address(uvec2 output_address, TileRange range, uint tile) {
  return word64_add(word64_subtract(output_address, uvec2(range.head * WEFT_OUTPUT_BYTES, 0u)),
                    word64_multiply(tile, kTileOutputBytes));
}

#endif
