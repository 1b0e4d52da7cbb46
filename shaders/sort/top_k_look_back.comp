// SPDX-License-Identifier: MIT OR Apache-2.0
//
// TopK: keys move in one dispatch.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/top_k_tile.glsl"
#define WEFT_LOOK_BACK_FAST_PATH
#include "weft/look_back.glsl"

uvec2 look_back_aggregate(uint tile) { return pass_aggregate(pass_tile(pass_range(), tile), 1u); }

void look_back_finish(uint index, uvec2 prefix) {
  const TopKTile tile = pass_tile(pass_range(), index);
  PassWords keys;
  pass_fetch(tile, keys);
  PassHeld held;
  uvec2 total;
  const uvec2 subgroups_before = workgroup_exclusive_of_subgroups(pass_total(tile, keys, held), 0u, total);
  pass_store(tile, held, prefix, subgroups_before, total);
}

#include "core/prefix_look_back.glsl"
