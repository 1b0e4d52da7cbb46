// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A tile of a merge as a workgroup has it: each subgroup finds its part, in the tile's pieces or in the whole, and
// merges it in registers. The includer defines kTileItems, and as constants kMergeKeys and kHasSides: whether it
// matters from where outputs come. If it includes merge_element.glsl before, elements are those, of snippets' keys too:
// then kHasPositions says that, and all parts fit.
#ifndef WEFT_PRIMITIVES_MERGE_PIECES_GLSL
#define WEFT_PRIMITIVES_MERGE_PIECES_GLSL

#include "merge/merge_key.glsl"
#include "merge/merge_inputs.glsl"
#if WEFT_MERGE_OWN && !defined(WEFT_PRIMITIVES_MERGE_ELEMENT_GLSL)
const bool kHasPositions = true;
#include "merge/merge_element.glsl"
#endif
#ifdef WEFT_PRIMITIVES_MERGE_ELEMENT_GLSL
#define WEFT_MERGE_POSITIONS 1
#else
#define WEFT_MERGE_POSITIONS 0
#include "merge/merge_sides.glsl"
#endif

// Pieces of both sequences, found and loaded as such.
struct MergePieces {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(MergePieces pieces, uint a, uint b) {
  return !merge_key_less(merge_key_at(pieces.keys_b, b), merge_key_at(pieces.keys_a, a));
}

WEFT_SUBGROUP_MERGE_PATH(MergePieces, kTileItems)
WEFT_SUBGROUP_MERGE_PATHS(MergeInputs)
WEFT_MERGE_PATH(MergePieces)

// A lane loads so many values before it stores any: the driver may not.
const uint kValueBatch = kMergeKeys < 16u ? kMergeKeys : 16u;

// How many keys of A are before each subgroup's.
shared uint weft_merge_cuts[kSubgroupCount];

// What a subgroup merges: `count` outputs from the tile's `first` on, of which count_a are from a piece of A, from
// position `a` of what was given of it on, and the others from one of B, from position `b` on.
struct MergePart {
  uint first, count, a, count_a, b;
  MergePieces pieces;
  uvec2 lowest;  // what elements of built-in keys are less of
  bool fits;     // whether its elements are in order; else outputs are found by merge_part_find()
};

MergePart merge_part_between(uvec2 keys_a, uvec2 keys_b, uint diagonal, uint first, uint count, uint a, uint next_a) {
  MergePart part;
  part.first = first;
  part.count = count;
  part.a = a;
  part.b = diagonal - a;
  // Of sequences that are not sorted, cuts may fall.
  part.count_a = clamp(next_a, a, a + count) - a;
  part.pieces = MergePieces(merge_key_address(keys_a, part.a), merge_key_address(keys_b, part.b));
  part.lowest = uvec2(0u);
  part.fits = true;
  return part;
}

// This subgroup's of a tile of `keys` keys, count_a of them of A.
MergePart merge_part(MergePieces tile, uint keys, uint count_a) {
  const uint first = min(subgroup_index() * kSubgroupMergeKeys, keys);
  const uint count = min(keys - first, kSubgroupMergeKeys);
  const uint a = subgroup_merge_path_split(tile, first, count_a, keys - count_a);
  if (subgroup_lane() == 0u) weft_merge_cuts[subgroup_index()] = a;
  barrier();
  const bool is_last = subgroup_index() + 1u == kSubgroupCount;
  const uint next =
      is_last ? count_a : subgroup_uniform(weft_merge_cuts[min(subgroup_index() + 1u, kSubgroupCount - 1u)]);
  return merge_part_between(tile.keys_a, tile.keys_b, first, first, count, a, next);
}

// The same of whole sequences, count_a and count_b keys long, which no dispatch before has cut: the tile's keys are
// those from `begin` on. `most` as in subgroup_merge_path_splits().
MergePart merge_part(MergeInputs inputs, uint begin, uint keys, uint count_a, uint count_b, uint most) {
  const uint first = min(subgroup_index() * kSubgroupMergeKeys, keys);
  const uint count = min(keys - first, kSubgroupMergeKeys);
  const uvec2 diagonals = uvec2(begin + first, begin + first + count);
  const uvec2 cuts = subgroup_merge_path_splits(inputs, diagonals, count_a, count_b, most);
  return merge_part_between(inputs.keys_a, inputs.keys_b, diagonals.x, first, count, cuts.x, cuts.y);
}

// Its elements in order, and what they are less of.
void merge_part_elements(inout MergePart part, out MergeElement elements[kMergeKeys]) {
  const uint count_b = part.count - part.count_a;
  // Of A, in order, this lane has key `lane` and those behind in steps of kSubgroupSize; of B, from the end, key
  // `opposite` and so on. left_a, left_b: keys from these on, if more than 0. Addresses and counts from the lane
  // on leave nothing to be computed for a row.
  const uint lane = subgroup_lane(), opposite = kSubgroupSize - 1u - lane;
  const uvec2 keys_a = merge_key_address(part.pieces.keys_a, lane);
  const uvec2 keys_b = merge_key_address(part.pieces.keys_b, opposite);
  const int left_a = int(part.count_a) - int(lane), left_b = int(count_b) - int(opposite);
#if WEFT_MERGE_POSITIONS
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint row = r * kSubgroupSize, row_b = (kMergeKeys - 1u - r) * kSubgroupSize;
    // Positions are counted through both pieces.
    elements[r] = merge_padding(row + lane + count_b);
    if (left_a > int(row)) elements[r] = merge_element(merge_key_at(keys_a, row), row + lane);
    if (left_b > int(row_b))
      elements[r] = merge_element(merge_key_at(keys_b, row_b), part.count_a + row_b + opposite);
  }
#else
  // As keys first: loads then do not wait for those of the part's ends.
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint row = r * kSubgroupSize, row_b = (kMergeKeys - 1u - r) * kSubgroupSize;
    elements[r] = uvec2(~0u);
    if (left_a > int(row)) elements[r] = merge_key_at(keys_a, row);
    if (left_b > int(row_b)) elements[r] = merge_key_at(keys_b, row_b);
  }
  if (kHasSides) {
    if (part.count != 0u) {
      // The first and the last of both pieces; for one that has none, those of the other.
      const uvec2 some_a = part.count_a != 0u ? part.pieces.keys_a : part.pieces.keys_b;
      const uvec2 some_b = count_b != 0u ? part.pieces.keys_b : part.pieces.keys_a;
      const uvec2 first_a = merge_key_at(some_a, 0u), first_b = merge_key_at(some_b, 0u);
      const uvec2 last_a = merge_key_at(some_a, (part.count_a != 0u ? part.count_a : count_b) - 1u);
      const uvec2 last_b = merge_key_at(some_b, (count_b != 0u ? count_b : part.count_a) - 1u);
      part.lowest = merge_key_less(first_b, first_a) ? first_b : first_a;
      part.fits = merge_sides_fit(part.lowest, merge_key_less(last_a, last_b) ? last_b : last_a);
    }
    const uvec2 side_a = merge_side(part.lowest, 0u), side_b = merge_side(part.lowest, 1u);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      elements[r] = merge_element(elements[r], left_a > int(r * kSubgroupSize) ? side_a : side_b);
    if (part.count != kSubgroupMergeKeys) {
      [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
        const bool is_of_b = left_b > int((kMergeKeys - 1u - r) * kSubgroupSize);
        if (!is_of_b && left_a <= int(r * kSubgroupSize)) elements[r] = uvec2(~0u);
      }
    }
  }
#endif
  subgroup_merge(elements);
}

MergeKey merge_part_key(MergePart part, MergeElement element) {
#if WEFT_MERGE_POSITIONS
  return merge_key(element);
#else
  return merge_element_key(element, part.lowest);
#endif
}

// From where output i of the part comes, this lane's element of a row: a position in its piece of A, or count_a and one
// in that of B. Asked row by row, with earlier_b 0 at first. What lies between the pieces ends up after both even where
// they are not sorted: it rises and falls once by itself. Addresses are made of this, so that it is below `count` all
// the same.
uint merge_part_position(MergePart part, MergeElement element, uint i, inout uint earlier_b) {
#if WEFT_MERGE_POSITIONS
  const uint position = merge_position(element);
#else
  const bool is_b = (element.x & 1u) != 0u;
  const uvec4 sides = subgroup_ballot(is_b);
  const uint b = earlier_b + subgroup_rank(sides);
  earlier_b += ballot_bit_count(sides);
  const uint position = is_b ? part.count_a + b : i - b;
#endif
  return min(position, part.count - min(part.count, 1u));
}

// The same of output i < count, by a search. Any lane may call.
uint merge_part_find(MergePart part, uint i) {
  const uint count_b = part.count - part.count_a;
  const uint a = merge_path_split(part.pieces, i, part.count_a, count_b);
  const uint b = i - a;
  bool is_a = b >= count_b;
  if (!is_a && a < part.count_a) is_a = merge_path_a_first(part.pieces, a, b);
  return is_a ? a : part.count_a + b;
}

MergeKey merge_part_key_at(MergePart part, uint position) {
  if (position < part.count_a) return merge_key_at(part.pieces.keys_a, position);
  return merge_key_at(part.pieces.keys_b, position - part.count_a);
}

#endif
