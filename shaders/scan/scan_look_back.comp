// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan in one dispatch.
//
// kernel: TYPES ${other_scan_types}
// kernel: TYPES ${optimized_scan_types} OPTIMIZED ${optimized_scan_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/look_back.glsl"
#include "scan/scan_pass.glsl"

Accumulator look_back_aggregate(uint tile) {
  Accumulator aggregate;
  workgroup_exclusive_of_subgroups(tile_total_by_rows(pass_tile(pass_range(), tile)), 1u, aggregate);
  return aggregate;
}

void look_back_finish(uint tile, Accumulator prefix) {
  const TileScan scan = pass_tile(pass_range(), tile);
  Accumulator aggregate;
  const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(tile_total_by_rows(scan), 0u, aggregate);
  tile_scan_store_by_rows(scan, combine(prefix, subgroups_before));
}

#include "core/prefix_look_back.glsl"
