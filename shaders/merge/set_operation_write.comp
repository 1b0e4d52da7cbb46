// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Third pass of SetOperation: each workgroup adds up the outputs of those before it, walks through its tiles again, and
// writes their outputs. These are gathered in shared memory first, so that lanes store what lies side by side: keys of
// a word by themselves, others and values by their positions in the tile, from where they are loaded again.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "merge/set_operation_write.h"
#include "merge/set_operation_tiles.glsl"
#include "merge/merge_store.glsl"

#if WEFT_MERGE_OWN
const bool kGathersKeys = false;
#else
const bool kGathersKeys = kKeyWords == 1u ? kWritesKeys : false;
#endif
const bool kLoadsKeys = kWritesKeys ? !kGathersKeys : false;
const bool kGathersPositions = kLoadsKeys ? true : kWritesIndices ? true : kValueBytes != 0u;
const bool kWritesNarrowValues = kValueBytes == 1u ? true : kValueBytes == 2u;
const bool kWritesWords = kValueBytes >= 4u;

// Puts what the lane keeps to where it is among the tile's outputs.
void tile_gather(uint kept, uint first, uint words[kSetKeys]) {
  [[unroll]] for (uint k = 0; k < kSetKeys; ++k) {
    const uint bit = (kept >> k) & 1u;
    if (bit != 0u) weft_tile_words[first] = words[k];
    first += bit;
  }
}

// The tile's outputs, of which the first is output `first` of all, and `count` have room.
void tile_write(SetTile tile, uint kept, uint words[kSetKeys], uint positions[kSetKeys], uint total_a,
                uint lane_first, uint first, uint count) {
#if !WEFT_MERGE_OWN
  if (kGathersKeys) {
    tile_gather(kept, lane_first, words);
    barrier();
    const uvec2 target = merge_key_address(push.keys_out, first);
    [[unroll]] for (uint r = 0; r < kSetKeys; ++r) {
      const uint i = r * kWorkgroupSize + tile_lane();
      store_key(target, i, count, uvec2(weft_tile_words[i], 0u));
    }
    if (kGathersPositions) barrier();
  }
#endif
  if (!kGathersPositions) return;
  tile_gather(kept, lane_first, positions);
  barrier();
  const uvec2 keys_out = merge_key_address(push.keys_out, first);
  const uvec2 values_a = value_address(push.values_a, tile.first_a);
  const uvec2 values_b = value_address(push.values_b, tile.first_b);
  const uvec2 values_out = value_address(push.values_out, first);
  Words indices_out = Words(word64_add(push.indices_out, word64_multiply(first, 4u)));
  [[unroll]] for (uint r = 0; r < kSetKeys; ++r) {
    const uint i = r * kWorkgroupSize + tile_lane();
    const uint position = i < count ? weft_tile_words[i] : 0u;
    const bool of_a = position < tile.count_a;
    if (kLoadsKeys) {
      MergeKey key;
      if (i < count) key = tile_load_key(tile, position);
      store_key(keys_out, i, count, key);
    }
    if (kWritesIndices && i < count)
      indices_out.at[i] = of_a ? tile.first_a + position : total_a + tile.first_b + (position - tile.count_a);
    if (kWritesWords)
      move_value(of_a ? values_a : values_b, of_a ? position : position - tile.count_a, values_out, i, count);
  }
  // Unrolled, their masks are more than scalar registers hold.
  if (kWritesNarrowValues) {
    [[dont_unroll]] for (uint r = 0; r < kSetKeys; ++r) {
      const uint i = r * kWorkgroupSize + tile_lane();
      const uint position = i < count ? weft_tile_words[i] : 0u;
      const bool of_a = position < tile.count_a;
      move_value(of_a ? values_a : values_b, of_a ? position : position - tile.count_a, values_out, i, count);
    }
  }
}

void main() {
  const uint total_a = count_a();
  const uint total = total_a + count_b();
  const uint tiles = tile_count(total);
  const uint first_tile = gl_WorkGroupID.x * push.group_tiles;
  if (first_tile >= tiles && gl_WorkGroupID.x != 0u) return;

  uint own = 0u;
  for (uint i = tile_lane(); i < gl_WorkGroupID.x; i += kWorkgroupSize) own += tile_sums().at[i];
  uint before;
  workgroup_exclusive_add(own, before);

  for (uint i = 0u; i < push.group_tiles; ++i) {
    if (first_tile + i >= tiles) break;
    const SetTile tile = workgroup_load_tile(first_tile + i, total);
    uint words[kSetKeys];
    uint positions[kSetKeys];
    const uint kept = tile_walk(tile, words, positions);
    uint outputs;
    const uint lane_first = workgroup_exclusive_add(uint(bitCount(kept)), outputs);
    const uint room = push.max_output - min(before, push.max_output);
    tile_write(tile, kept, words, positions, total_a, lane_first, before, min(outputs, room));
    before += outputs;
  }

  // The last that has tiles, or the first of none, has the number of outputs.
  if (tiles - min(tiles, first_tile) > push.group_tiles || gl_LocalInvocationIndex != 0u) return;
  Words result = Words(push.total);
  result.at[0] = before;
  if (push.words >> 4 == 2u) result.at[1] = 0u;
  Words(push.status).at[0] = before > push.max_output ? 1u : 0u;
}
