// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of SortedSearch, without merging: a workgroup holds a tile in shared memory, whose part of the haystack subgroups search
// for rows of neighbouring needles. A row's bounds begin where those of the row in front end, and are not far from each other, so that
// a few steps find them; lanes look at the same keys first, and at neighbours in the end.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "search/sorted_search_tiles.glsl"
#include "weft/merge_tile.glsl"

// Whether key `key` of the tile's haystack is in front of a needle's bound.
bool is_before(MergeTile tile, uint key, uvec2 needle) {
  return !merge_path_a_first(needle, merge_tile_key(merge_tile_word_b(tile, key)), kMergeEqualFromA);
}

void main() {
  const uint needles = needle_count();
  const uint haystack = haystack_count();
  const SearchTile tile = search_tile(needles, haystack);
  if (tile.needles == 0u) return;
  const MergeTile merge = workgroup_merge_load(MergePiece(push.needles, tile.first_needle, tile.needles, needles),
                                               MergePiece(push.haystack, tile.first_key, tile.keys, haystack));

  Words outputs = Words(word64_add(push.outputs, word64_multiply(tile.first_needle, 4u)));
  // Each subgroup has as many rows, one behind the other: at most kMergeLaneKeys. Some may have no needles, and are the last one again.
  const uint rows = (tile.needles + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = subgroup_index() * rows * kSubgroupSize;
  const uint last = tile.needles - 1u;
  uint low = 0u;
  for (uint r = 0; r < rows; ++r) {
    const uint row = first + r * kSubgroupSize;
    const uint place = row + subgroup_lane();
    const uvec2 needle = merge_tile_key(merge_tile_word_a(merge, min(place, last)));
    const uvec2 last_needle = merge_tile_key(merge_tile_word_a(merge, min(row + kSubgroupSize - 1u, last)));
    // Each bound is one of low to low + length: at most 12 steps, of keys in shared memory.
    uint length = min(2u * kSubgroupSize, merge.count_b - low);
    while (low + length < merge.count_b && is_before(merge, low + length, last_needle))
      length = min(2u * length, merge.count_b - low);
    uint bound = low;
    while (length > 1u) {
      const uint step = length >> 1;
      bound += is_before(merge, bound + step - 1u, needle) ? step : 0u;
      length -= step;
    }
    if (length == 1u) bound += is_before(merge, bound, needle) ? 1u : 0u;
    if (place <= last) outputs.at[place] = tile.first_key + bound;
    low = subgroup_shuffle(bound, kSubgroupSize - 1u);
  }
}
