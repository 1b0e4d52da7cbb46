// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of SortedSearch: a workgroup merges a tile, in shared memory. Bounds replace needles there, and are
// stored in the order of the needles.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "search/sorted_search_tiles.glsl"
#include "weft/merge_tile.glsl"

void main() {
  const uint needles = needle_count();
  const uint haystack = haystack_count();
  const SearchTile tile = search_tile(needles, haystack);
  if (tile.needles == 0u) return;
  const MergeTile merge = workgroup_merge_load(MergePiece(push.needles, tile.first_needle, tile.needles, needles),
                                               MergePiece(push.haystack, tile.first_key, tile.keys, haystack));
  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint diagonal = min(position * kMergeLaneKeys, tile.needles + tile.keys);
  uint needle = merge_path_split(merge, diagonal, merge.count_a, merge.count_b);
  uint key = diagonal - needle;
  const uint order = lane_merge_order(merge, needle, key);
  barrier();

  // (Of ranges that are not sorted, two lanes may have the same needle.)
  [[unroll]] for (uint i = 0; i < kMergeLaneKeys; ++i) {
    const uint is_needle = (order >> i) & 1u;
    if (is_needle != 0u) merge_tile_store_word(merge_tile_word_a(merge, needle), tile.first_key + key);
    needle += is_needle;
    key += 1u - is_needle;
  }
  barrier();

  Words outputs = Words(word64_add(push.outputs, word64_multiply(tile.first_needle, 4u)));
  // At most kMergeLaneKeys rounds.
  for (uint i = position; i < tile.needles; i += kWorkgroupSize)
    outputs.at[i] = merge_tile_word(merge_tile_word_a(merge, i));
}
