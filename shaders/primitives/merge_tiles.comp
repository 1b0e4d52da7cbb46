// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of Merge: a workgroup has a tile, of which each subgroup finds its part and merges it in registers. Where it matters from
// where an output comes, a key brings its side along, or, if it is a snippet's, its place, counted through both pieces of the subgroup:
// it makes the order among equal keys, and says where the value lies.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/merge_ranges.glsl"

layout(constant_id = 7) const bool kHasSides = false;  // values or indices are written
layout(constant_id = 8) const bool kWritesKeys = true;
layout(constant_id = 9) const bool kWritesIndices = false;
layout(constant_id = 10) const uint kValueBytes = 0;  // 1, 2, a multiple of 4, or 0: none are written

#if WEFT_MERGE_OWN
const bool kHasPlaces = true;
#include "primitives/merge_element.glsl"
#else
#include "primitives/merge_sides.glsl"
#endif
#include "primitives/merge_store.glsl"

// Pieces of both ranges, found and loaded as such.
struct MergePieces {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(MergePieces pieces, uint a, uint b) {
  return !merge_key_less(merge_key_at(pieces.keys_b, b), merge_key_at(pieces.keys_a, a));
}

WEFT_SUBGROUP_MERGE_PATH(MergePieces, kTileItems)
WEFT_MERGE_PATH(MergePieces)

// Values that a lane loads before it stores them.
const uint kBatch = kMergeKeys < 16u ? kMergeKeys : 16u;

// How many keys of A are in front of each subgroup's.
shared uint weft_merge_cuts[kSubgroupCount];

void main() {
  const uint total_a = count_a();
  const uint total = total_a + count_b();
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const uint begin = tile_begin(tile, total);
  const uint keys = tile_begin(tile + 1u, total) - begin;
  Words splits = Words(push.splits);
  // Of ranges that are not sorted, cuts may fall, here and below.
  const uint tile_a = subgroup_uniform(splits.at[tile]);
  const uint tile_count_a = clamp(subgroup_uniform(splits.at[tile + 1u]), tile_a, tile_a + keys) - tile_a;
  const uint tile_b = begin - tile_a;

  const uint diagonal = min(subgroup_index() * kSubgroupMergeKeys, keys);
  const uint count = min(keys - diagonal, kSubgroupMergeKeys);
  const uint cut = subgroup_merge_path_split(
      MergePieces(merge_key_address(push.keys_a, tile_a), merge_key_address(push.keys_b, tile_b)), diagonal, tile_count_a,
      keys - tile_count_a);
  if (subgroup_lane() == 0u) weft_merge_cuts[subgroup_index()] = cut;
  barrier();
  const bool is_last = subgroup_index() + 1u == kSubgroupCount;
  const uint next = is_last ? tile_count_a : subgroup_uniform(weft_merge_cuts[min(subgroup_index() + 1u, kSubgroupCount - 1u)]);
  const uint piece_count_a = clamp(next, cut, cut + count) - cut;
  const uint piece_count_b = count - piece_count_a;
  const uint piece_a = tile_a + cut;
  const uint piece_b = tile_b + diagonal - cut;
  const uvec2 keys_a = merge_key_address(push.keys_a, piece_a);
  const uvec2 keys_b = merge_key_address(push.keys_b, piece_b);

#if WEFT_MERGE_OWN
  const bool fits = true;
#else
  uvec2 lowest = uvec2(0u);
  bool fits = true;
  if (kHasSides) {
    // The first and the last of both pieces, or twice those of the other. Of none at all nothing is looked at.
    const bool has_a = piece_count_a != 0u, has_b = piece_count_b != 0u;
    const uvec2 some_a = has_a ? keys_a : keys_b, some_b = has_b ? keys_b : keys_a;
    if (count != 0u) {
      const uvec2 first_a = merge_key_at(some_a, 0u), first_b = merge_key_at(some_b, 0u);
      const uvec2 last_a = merge_key_at(some_a, (has_a ? piece_count_a : piece_count_b) - 1u);
      const uvec2 last_b = merge_key_at(some_b, (has_b ? piece_count_b : piece_count_a) - 1u);
      lowest = merge_key_less(first_b, first_a) ? first_b : first_a;
      fits = merge_sides_fit(lowest, merge_key_less(last_a, last_b) ? last_b : last_a);
    }
  }
#endif

  MergeElement elements[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint i = r * kSubgroupSize + subgroup_lane();
    const uint j = kSubgroupMergeKeys - 1u - i;
#if WEFT_MERGE_OWN
    elements[r] = merge_padding(i + piece_count_b);
    if (i < piece_count_a) elements[r] = merge_element(merge_key_at(keys_a, i), i);
    if (j < piece_count_b) elements[r] = merge_element(merge_key_at(keys_b, j), piece_count_a + j);
#else
    elements[r] = uvec2(~0u);
    if (i < piece_count_a) elements[r] = merge_element(merge_key_at(keys_a, i), lowest, 0u);
    if (j < piece_count_b) elements[r] = merge_element(merge_key_at(keys_b, j), lowest, 1u);
#endif
  }
  subgroup_merge(elements);

  // Outputs of a part that does not fit are found one by one.
  const uint first = begin + diagonal;
  const uint stored = fits ? count : 0u;
  if (kWritesKeys) {
    const uvec2 target = merge_key_address(push.keys_out, first);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
#if WEFT_MERGE_OWN
      const MergeKey key = merge_key(elements[r]);
#else
      const MergeKey key = merge_element_key(elements[r], lowest);
#endif
      store_key(target, r * kSubgroupSize + subgroup_lane(), stored, key);
    }
  }
  if (kWritesIndices || kValueBytes != 0u) {
    Words indices = Words(word64_add(push.indices_out, word64_multiply(first, 4u)));
    const uvec2 values_a = value_address(push.values_a, piece_a);
    const uvec2 values_b = value_address(push.values_b, piece_b);
    const uvec2 values = value_address(push.values_out, first);
    uint earlier_b = 0u;
    uvec2 batch[kBatch];
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint i = r * kSubgroupSize + subgroup_lane();
#if WEFT_MERGE_OWN
      const uint place = merge_place(elements[r]);
#else
      const bool side = (elements[r].x & 1u) != 0u;
      const uvec4 sides = subgroup_ballot(side);
      const uint b = earlier_b + subgroup_rank(sides);
      earlier_b += ballot_bit_count(sides);
      const uint place = side ? piece_count_a + b : i - b;
#endif
      // What lies between the pieces ends up behind both even where they are not sorted: it rises and falls once by itself. An address is
      // made of this, so that it is bounded all the same.
      const uint from = min(place, count - min(count, 1u));
      const bool of_a = from < piece_count_a;
      const uint index = of_a ? from : from - piece_count_a;
      if (kWritesIndices && i < stored) indices.at[i] = of_a ? piece_a + index : total_a + piece_b + index;
      if (kValueBytes == 0u) continue;
      if (!kValueInRegisters) {
        move_value(of_a ? values_a : values_b, index, values, i, stored);
        continue;
      }
      batch[r % kBatch] = uvec2(0u);
      if (i < stored) batch[r % kBatch] = load_value(of_a ? values_a : values_b, index);
      if (r % kBatch + 1u == kBatch) {
        [[unroll]] for (uint k = 0; k < kBatch; ++k)
          store_value(values, i - (kBatch - 1u - k) * kSubgroupSize, stored, batch[k]);
      }
    }
  }
#if !WEFT_MERGE_OWN
  if (!fits) {
    const MergePieces pieces = MergePieces(keys_a, keys_b);
    for (uint i = subgroup_lane(); i < count; i += kSubgroupSize) {
      const uint a = merge_path_split(pieces, i, piece_count_a, piece_count_b);
      const uint b = i - a;
      bool of_a = b >= piece_count_b;
      if (!of_a && a < piece_count_a) of_a = merge_path_a_first(pieces, a, b);
      const uint index = of_a ? a : b;
      if (kWritesKeys) store_key(merge_key_address(push.keys_out, first), i, count, merge_key_at(of_a ? keys_a : keys_b, index));
      if (kWritesIndices)
        Words(word64_add(push.indices_out, word64_multiply(first, 4u))).at[i] = of_a ? piece_a + index : total_a + piece_b + index;
      if (kValueBytes != 0u) {
        const uvec2 source = value_address(of_a ? push.values_a : push.values_b, (of_a ? piece_a : piece_b) + index);
        const uvec2 target = value_address(push.values_out, first + i);
        if (kValueBytes < 4u)
          store_narrow_alone(target, kValueBytes, load_narrow(source, kValueBytes, 0u));
        else
          move_value(source, 0u, target, 0u, 1u);
      }
    }
  }
#endif
}
