// SPDX-License-Identifier: MIT OR Apache-2.0
//
// For each row of an image but the last, one workgroup each: the row and the next one, both ascending, merged. The host
// sees to it that two rows have no more pixels than a tile.
#version 460
#extension GL_GOOGLE_include_directive : require
const uint kMergeLaneKeys = 8;      // pixels of the merge that a lane takes
const bool kMergeEqualFromA = true;  // of equal pixels those of the upper row come first
#include "weft/merge_tile.glsl"

layout(push_constant) uniform Push { uvec2 image; uvec2 merged; uint width; };

void main() {
  const uint row = gl_WorkGroupID.x * width;
  const uint pixels = width * (gl_NumWorkGroups.x + 1u);
  const MergeTile tile =
      workgroup_merge_load(MergePiece(image, row, width, pixels), MergePiece(image, row + width, width, pixels));
  const uint number = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint first = min(number * kMergeLaneKeys, 2u * width);
  uint a = merge_path_split(tile, first, width, width);
  uint b = first - a;
  const uint order = lane_merge_order(tile, a, b);
  for (uint i = 0u; i < min(kMergeLaneKeys, 2u * width - first); ++i) {
    const bool from_a = ((order >> i) & 1u) != 0u;
    const uint slot = from_a ? merge_tile_word_a(tile, a++) : merge_tile_word_b(tile, b++);
    Words(merged).at[2u * row + first + i] = merge_tile_word(slot);
  }
}
