// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of reduce-then-scan by key, and of reduce by key: combines each workgroup's run of tiles into
// partials[workgroup].
//
// family: by_key
// kernel: TYPES ${by_key_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#include "by_key/scan_by_key_tile.glsl"
#include "weft/partials.glsl"

void main() {
  const TileRange range = pass_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  Segment folded = segment_identity();
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!tile_exists(range, first_tile + i)) break;
    folded = combine(folded, tile_segment(pass_tile(range, first_tile + i), i & 1u));
  }
  if (gl_LocalInvocationIndex == 0u) partials_store(push.scratch, gl_WorkGroupID.x, folded);
}
