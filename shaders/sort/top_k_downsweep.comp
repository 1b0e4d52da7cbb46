// SPDX-License-Identifier: MIT OR Apache-2.0
//
// TopK: keys move by reduce-then-scan. Second pass: each workgroup folds the partials before its own, and moves the
// keys of its run tile by tile, carrying.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/top_k_tile.glsl"
#include "weft/partials.glsl"

void main() {
  const TileRange range = top_k_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  if (!tile_exists(range, first_tile)) return;
  uvec2 carry = partials_reduce(push.scratch, gl_WorkGroupID.x, 1u);
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!tile_exists(range, first_tile + i)) break;
    const TopKTile tile = top_k_tile(range, first_tile + i);
    TopKKeys keys;
    top_k_fetch(tile, keys);
    const uvec2 masks = top_k_masks(tile, keys);
    uvec2 total;
    const uvec2 subgroups_before = workgroup_exclusive_of_subgroups(top_k_subgroup_counts(masks), i & 1u, total);
    if (total != uvec2(0u)) top_k_store(tile, keys, masks, combine(carry, subgroups_before));
    carry = combine(carry, total);
  }
}
