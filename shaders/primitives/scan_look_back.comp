// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan in one pass: each workgroup takes the next tile, combines it, looks back for its prefix and stores its outputs. The words
// of the tile stay in registers, so that every item is read once. A call whose items fit one tile has no scratch.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/look_back.glsl"
#include "weft/tile_scan.glsl"
#include "primitives/scan.h"

layout(push_constant, std430) uniform Push { ScanPush push; };

TileRange scan_range() { return tile_range(count_of(push.count, push.count_words, push.count_value), push.head); }

Accumulator look_back_aggregate(uint tile) {
  const TileRange range = scan_range();
  const uvec2 present = tile_present(range, tile);
  uint words[WEFT_TILE_WORDS];
  tile_load(tile_input_address(push.items, range, tile), present, words);
  Accumulator before[WEFT_MAX_ROWS];
  Accumulator aggregate;
  workgroup_exclusive_of_subgroups(tile_scan_rows(words, present, before), 1u, aggregate);
  return aggregate;
}

void main() {
  const TileRange range = scan_range();
  const bool alone = push.scratch == uvec2(0u);
  uint tile = 0u;
  if (!alone) tile = look_back_ticket(LookBackScratch(push.scratch));
  if (!tile_exists(range, tile)) return;

  const uvec2 present = tile_present(range, tile);
  uint words[WEFT_TILE_WORDS];
  tile_load(tile_input_address(push.items, range, tile), present, words);

  Accumulator before[WEFT_MAX_ROWS];
  Accumulator aggregate;
  const Accumulator own_total = tile_scan_rows(words, present, before);
  const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(own_total, 0u, aggregate);

  Accumulator prefix = accumulator_of_bits(push.initial);
  if (!alone)
    prefix = look_back_prefix(LookBackScratch(push.scratch), tile, aggregate, prefix, push.in_place != 0u);

  tile_scan_store(tile_output_address(push.outputs, range, tile), words, present, combine(prefix, subgroups_before), before);
}
