// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan by key in one dispatch.
//
// kernel: TYPES ${by_key_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#include "by_key/scan_by_key_tile.glsl"
#include "weft/look_back.glsl"

Segment look_back_aggregate(uint tile) {
  Segment aggregate;
  workgroup_exclusive_of_subgroups(segments_total_by_rows(pass_tile(pass_range(), tile)), 1u, aggregate);
  return aggregate;
}

void look_back_finish(uint tile, Segment prefix) {
  const SegmentTile segments = pass_tile(pass_range(), tile);
  Segment aggregate;
  const Segment subgroups_before = workgroup_exclusive_of_subgroups(segments_total_by_rows(segments), 0u, aggregate);
  scan_by_key_store_by_rows(segments, combine(prefix, subgroups_before));
}

#include "core/prefix_look_back.glsl"
