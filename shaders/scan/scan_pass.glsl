// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan's part of a prefix pass (core/prefix_look_back.glsl, core/prefix_downsweep.glsl).
#ifndef WEFT_SCAN_PASS_GLSL
#define WEFT_SCAN_PASS_GLSL

#include "weft/tile_scan.glsl"
#include "scan/scan.h"

layout(push_constant, std430) uniform Push { ScanPush push; };

#define PassTile TileScan
const bool kPassStages = false;

// What is kept of a tile from its fetch to its outputs.
struct PassHeld {
  TileWords words;
  TileHeld scanned;
};

TileRange pass_range() { return tile_range(count_of(push.count, push.count_words, push.count_value), push.head); }

TileScan pass_tile(TileRange range, uint tile) { return tile_scan_of(push.items, push.outputs, range, tile); }

// The aggregate of everything before the first tile.
Accumulator pass_initial() { return accumulator_of_bits(push.initial); }

// Reads a tile ahead of pass_total(), so that its words travel meanwhile.
void pass_fetch(TileScan scan, inout PassHeld held) { tile_scan_fetch(scan, held.words); }

// The aggregate of a tile that is not fetched, on all invocations.
Accumulator pass_aggregate(TileScan scan, uint slot) { return tile_aggregate(scan, slot); }

// The aggregate of this subgroup's items of a fetched tile.
Accumulator pass_total(TileScan scan, inout PassHeld held) {
  return scan.fast ? tile_scan_total(held.words, held.scanned) : tile_total_by_rows(scan);
}

// Both at once, of one condition, so that words need no register after it.
Accumulator pass_take(TileScan scan, inout PassHeld held) {
  pass_fetch(scan, held);
  return pass_total(scan, held);
}

// Where kPassStages: puts into shared memory what does not need the prefix. A barrier follows.
void pass_stage(TileScan scan, PassHeld held, Accumulator subgroups_before) {}

// Writes the outputs of a tile, before which there is `prefix`.
void pass_store(TileScan scan, PassHeld held, Accumulator prefix, Accumulator subgroups_before,
                Accumulator aggregate) {
  const Accumulator before = combine(prefix, subgroups_before);
  if (scan.fast)
    tile_scan_store(scan, held.scanned, before);
  else
    tile_scan_store_by_rows(scan, before);
}

// Called by the first workgroup if there are no items.
void pass_none() {}

#endif
