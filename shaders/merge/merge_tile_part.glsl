// SPDX-License-Identifier: MIT OR Apache-2.0
//
// How a subgroup of a kernel that merges tiles comes to its part.
#ifndef WEFT_MERGE_TILE_PART_GLSL
#define WEFT_MERGE_TILE_PART_GLSL

#include "merge/merge_tile_part.h"
#include "merge/merge_ranges.glsl"
#include "merge/merge_pieces.glsl"

// The workgroup's tile; there may be none of this number.
uint merge_tile() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// Where it begins: outputs from `begin` on, keys of A and B from tile_a and tile_b on. The part's counts are from there
// on. Called in workgroup-uniform control flow.
MergePart merge_tile_part(uint total_a, uint total_b, out uint begin, out uint tile_a, out uint tile_b) {
  const uint total = total_a + total_b;
  const uint tile = merge_tile();
  MergePart part;
  begin = tile_begin(tile, total);
  const uint keys = tile_begin(tile + 1u, total) - begin;
  tile_a = 0u;
  tile_b = 0u;
  if (kFindsCuts) {
    part = merge_part(MergeInputs(push.keys_a, push.keys_b), begin, keys, total_a, total_b,
                      min(push.maximum_a, push.maximum_b));
  } else {
    Words splits = Words(push.splits);
    // Of ranges that are not sorted, cuts may fall.
    tile_a = subgroup_uniform(splits.at[tile]);
    tile_b = begin - tile_a;
    const uint tile_count_a = clamp(subgroup_uniform(splits.at[tile + 1u]), tile_a, tile_a + keys) - tile_a;
    const MergePieces pieces =
        MergePieces(merge_key_address(push.keys_a, tile_a), merge_key_address(push.keys_b, tile_b));
    part = merge_part(pieces, keys, tile_count_a);
  }
  return part;
}

#endif
