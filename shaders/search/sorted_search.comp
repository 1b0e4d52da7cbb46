// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of SortedSearch, or the only one: a merge of needles and haystack as merge_tiles.comp's, of which no key
// is written. A needle's bound is the number of outputs before it that are not needles: its position in the merge less
// that among the needles. In parts where keys lie too far apart or needles are few, each needle is searched for.
// kernel: OPTIMIZED :
#version 460
#extension GL_GOOGLE_include_directive : require
#include "merge/merge_tile_part.glsl"
#include "search/sorted_search.h"

// One needle in so many keys, or fewer, are found one by one.
const uint kNeedleKeys = 32;

// Keys of the part's haystack before its needle i: a binary search.
uint needle_bound(MergePart part, uint i, uint keys) {
  uint low = 0u, high = keys;
  while (low < high) {
    const uint middle = (low + high) / 2u;
    const bool is_before = kNeedlesAreA ? !merge_path_a_first(part.pieces, i, middle)
                                        : merge_path_a_first(part.pieces, middle, i);
    low = is_before ? middle + 1u : low;
    high = is_before ? high : middle;
  }
  return low;
}

void main() {
  const uint total_a = count_a();
  const uint total_b = count_b();
  if (merge_tile() >= tile_count(total_a + total_b)) return;
  uint begin, tile_a, tile_b;
  MergePart part = merge_tile_part(total_a, total_b, begin, tile_a, tile_b);
  const uint needles = kNeedlesAreA ? part.count_a : part.count - part.count_a;
  // Few needles are not worth a merge. Emulated subgroups have barriers in it.
#if WEFT_SUBGROUP_EMULATED
  const bool is_merged = true;
#else
  const bool is_merged = subgroup_uniform(needles) * kNeedleKeys > part.count;
#endif
  const uint lane = subgroup_lane();
  const uint first = begin + part.first;
  const uint first_needle = kNeedlesAreA ? tile_a + part.a : tile_b + part.b;
  Words bounds = Words(push.indices_out);
  if (is_merged) {
    MergeElement elements[kMergeKeys];
    merge_part_elements(part, elements);
    // Of a part that does not fit no element counts as a needle.
    const uint unfit = part.fits ? 0u : 1u;
    const uint position = first + lane;
    uint earlier = first_needle;
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint other_side = kNeedlesAreA ? elements[r].x : ~elements[r].x;
      const bool is_needle = ((other_side | unfit) & 1u) == 0u;
      const uvec4 ballot = subgroup_ballot(is_needle);
      const uint i = earlier + subgroup_rank(ballot);
      earlier += ballot_bit_count(ballot);
      // What lies between the pieces counts as of B. Of sequences that are not sorted, it is anywhere.
      if (is_needle && (kNeedlesAreA || i < first_needle + needles)) bounds.at[i] = position + r * kSubgroupSize - i;
    }
    if (part.fits) return;
  }
  for (uint i = lane; i < needles; i += kSubgroupSize)
    bounds.at[first_needle + i] = first - first_needle + needle_bound(part, i, part.count - needles);
}
