// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every function of merge_path.glsl and merge_tile.glsl, for tests/blocks/merge_path_test.cpp: one workgroup merges a
// piece of each of two ranges. Ranges lie one after the other, and begin and end with push.mask keys that are not in
// the piece. Results: for each key of the merge where it is in its piece, with the highest bit set for those of B, and
// its low word; then for each lane how many keys of A are before its own, as found in memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "self_test.h"

layout(constant_id = 4) const uint kMergeLaneKeys = 7;
layout(constant_id = 5) const bool kMergeEqualFromA = true;
#include "weft/merge_tile.glsl"

layout(push_constant, std430) uniform Push { SelfTestPush push; };

void main() {
  const uint count_a = push.delta;
  const uint count_b = push.lane;
  const uint total_a = count_a + 2u * push.mask;
  const uint key_bytes = 4u * kKeyWords;
  const uvec2 keys_b = word64_add(push.inputs, word64_multiply(total_a, key_bytes));
  const MergeTile tile = workgroup_merge_load(MergePiece(push.inputs, push.mask, count_a, total_a),
                                              MergePiece(keys_b, push.mask, count_b, count_b + 2u * push.mask));

  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint diagonal = min(position * kMergeLaneKeys, count_a + count_b);
  uint a = merge_path_split(tile, diagonal, tile.count_a, tile.count_b);
  uint b = diagonal - a;
  Words results = Words(push.results);
  const MergeRanges ranges = MergeRanges(word64_add(push.inputs, push.mask * key_bytes),
                                         word64_add(keys_b, push.mask * key_bytes), kMergeEqualFromA);
  results.at[2u * (count_a + count_b) + position] = merge_path_split(ranges, diagonal, count_a, count_b);

  const uint order = lane_merge_order(tile, a, b);
  [[unroll]] for (uint i = 0; i < kMergeLaneKeys; ++i) {
    const bool from_a = ((order >> i) & 1u) != 0u;
    if (diagonal + i < count_a + count_b) {
      results.at[2u * (diagonal + i)] = from_a ? a : 0x80000000u | b;
      const uint slot = from_a ? merge_tile_word_a(tile, a) : merge_tile_word_b(tile, b);
      results.at[2u * (diagonal + i) + 1u] = merge_tile_word(slot);
    }
    a += from_a ? 1u : 0u;
    b += from_a ? 0u : 1u;
  }
}
