// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan's part of a prefix pass (core/prefix_look_back.glsl, core/prefix_downsweep.glsl).
#ifndef WEFT_SCAN_PASS_GLSL
#define WEFT_SCAN_PASS_GLSL

#include "weft/tile_scan.glsl"
#include "scan/scan.h"

layout(push_constant, std430) uniform Push { ScanPush push; };

#define PassTile TileScan

// What a tile's fetch gives, and what is kept of it to its outputs.
#define PassWords TileWords
#define PassHeld TileHeld

TileRange pass_range() { return tile_range(count_of(push.count, push.count_words, push.count_value), push.head); }

TileScan pass_tile(TileRange range, uint tile) { return tile_scan_of(push.items, push.outputs, range, tile); }

// The aggregate of everything before the first tile.
Accumulator pass_initial() { return accumulator_of_bits(push.initial); }

// Macros: copies of a tile for functions cost scans of u8 8 % on NVIDIA's devices.

// Reads a tile. Gives the aggregate of this subgroup's items, and what is held of the tile until it is stored.
#define pass_take(scan, words, held) \
  (tile_scan_fetch(scan, words), scan.fast ? tile_scan_total(words, held) : tile_total_by_rows(scan))

// Puts into shared memory what does not need the prefix.
#define pass_stage(scan, words, held)

// Writes the outputs of a tile, before which there is `prefix`.
#define pass_store(scan, words, held, prefix, subgroups_before, aggregate) \
  const Accumulator before = combine(prefix, subgroups_before);            \
  if (scan.fast)                                                           \
    tile_scan_store(scan, held, before);                                   \
  else                                                                     \
    tile_scan_store_by_rows(scan, before)

// Called by the first workgroup if there are no items.
void pass_none() {}

#endif
