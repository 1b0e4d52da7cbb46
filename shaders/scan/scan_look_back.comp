// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan in one dispatch.
//
// kernel: TYPES ${other_scan_types}
// kernel: TYPES ${optimized_scan_types} OPTIMIZED ${optimized_scan_types} DEFINES WEFT_LOOK_BACK_FAST_PATH
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#define WEFT_LOOK_BACK_COMBINES_IN_LOOP
#include "weft/look_back.glsl"
#include "scan/scan_pass.glsl"

Accumulator look_back_aggregate(uint tile) { return tile_aggregate_by_rows(pass_tile(pass_range(), tile), 1u); }

void look_back_finish(uint tile, Accumulator prefix) {
  const TileScan scan = pass_tile(pass_range(), tile);
  Accumulator aggregate;
  const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(tile_total_by_rows(scan), 0u, aggregate);
  tile_scan_store_by_rows(scan, combine(prefix, subgroups_before));
}

#include "core/prefix_look_back.glsl"
