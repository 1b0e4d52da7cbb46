// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of SortedSearch: a workgroup merges a tile, in shared memory. Bounds take the place of needles there, and are stored in
// the order of the needles.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/sorted_search_tiles.glsl"
#include "weft/merge_tile.glsl"

void main() {
  const uint needles = needle_count();
  const uint haystack = haystack_count();
  const uint total = needles + haystack;
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const uint begin = tile_begin(tile, total);
  const uint keys = tile_begin(tile + 1u, total) - begin;
  Words splits = Words(push.splits);
  const uint first_needle = subgroup_uniform(splits.at[tile]);
  // Of ranges that are not sorted, the tiles' begins may fall.
  const uint next_needle = clamp(subgroup_uniform(splits.at[tile + 1u]), first_needle, first_needle + keys);
  const uint count = next_needle - first_needle;
  if (count == 0u) return;
  const uint first_key = begin - first_needle;

  const MergeTile merge = workgroup_merge_load(MergePiece(push.needles, first_needle, count, needles),
                                               MergePiece(push.haystack, first_key, keys - count, haystack));
  const uint place = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint diagonal = min(place * kMergeLaneKeys, keys);
  uint needle = merge_path_split(merge, diagonal, merge.count_a, merge.count_b);
  uint key = diagonal - needle;
  const uint order = lane_merge_order(merge, needle, key);
  barrier();

  // (Of ranges that are not sorted, two lanes may have the same needle.)
  [[unroll]] for (uint i = 0; i < kMergeLaneKeys; ++i) {
    const uint is_needle = (order >> i) & 1u;
    if (is_needle != 0u) merge_tile_store_word(merge_tile_word_a(merge, needle), first_key + key);
    needle += is_needle;
    key += 1u - is_needle;
  }
  barrier();

  Words outputs = Words(word64_add(push.outputs, word64_multiply(first_needle, 4u)));
  // At most kMergeLaneKeys rounds.
  for (uint i = place; i < count; i += kWorkgroupSize) outputs.at[i] = merge_tile_word(merge_tile_word_a(merge, i));
}
