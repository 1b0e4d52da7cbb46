// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A tile of a merge as a workgroup has it: each subgroup finds its part and merges it in registers. The includer defines kTileItems, and
// what merge_element.glsl asks for.
#ifndef WEFT_PRIMITIVES_MERGE_PIECES_GLSL
#define WEFT_PRIMITIVES_MERGE_PIECES_GLSL

#include "primitives/merge_element.glsl"

// Pieces of both sequences, found and loaded as such.
struct MergePieces {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(MergePieces pieces, uint a, uint b) {
  return !merge_key_less(merge_key_at(pieces.keys_b, b), merge_key_at(pieces.keys_a, a));
}

WEFT_SUBGROUP_MERGE_PATH(MergePieces, kTileItems)

// How many keys of A are in front of each subgroup's.
shared uint weft_merge_cuts[kSubgroupCount];

// What a subgroup merges: `count` outputs from the tile's `first` on, of which count_a are from the tile's piece of A, from place `a` of
// it on, and the others from its piece of B, from place `b` on.
struct MergePart {
  uint first, count, a, count_a, b;
};

// This subgroup's of a tile of `keys` keys, count_a of them of A. Of sequences that are not sorted, cuts may fall.
MergePart merge_part(MergePieces tile, uint keys, uint count_a) {
  MergePart part;
  part.first = min(subgroup_index() * kSubgroupMergeKeys, keys);
  part.count = min(keys - part.first, kSubgroupMergeKeys);
  part.a = subgroup_merge_path_split(tile, part.first, count_a, keys - count_a);
  part.b = part.first - part.a;
  if (subgroup_lane() == 0u) weft_merge_cuts[subgroup_index()] = part.a;
  barrier();
  const bool is_last = subgroup_index() + 1u == kSubgroupCount;
  const uint next = is_last ? count_a : subgroup_uniform(weft_merge_cuts[min(subgroup_index() + 1u, kSubgroupCount - 1u)]);
  part.count_a = clamp(next, part.a, part.a + part.count) - part.a;
  return part;
}

// Its elements in order. Places are counted through both pieces of the part.
void merge_part_elements(MergePieces tile, MergePart part, out MergeElement elements[kMergeKeys]) {
  const uvec2 keys_a = merge_key_address(tile.keys_a, part.a);
  const uvec2 keys_b = merge_key_address(tile.keys_b, part.b);
  const uint count_b = part.count - part.count_a;
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint i = r * kSubgroupSize + subgroup_lane();
    const uint j = kSubgroupMergeKeys - 1u - i;
    elements[r] = merge_padding(i + count_b);
    if (i < part.count_a) elements[r] = merge_element(merge_key_at(keys_a, i), i);
    if (j < count_b) elements[r] = merge_element(merge_key_at(keys_b, j), part.count_a + j);
  }
  subgroup_merge(elements);
}

#endif
