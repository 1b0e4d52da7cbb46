// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Where two sorted ranges, A and B, have to be cut so that their merge is cut at a given position: the merge path of
// Odeh, Green, Mwassi, Shmueli and Birk. Pieces between two such cuts are merged, or searched in each other, without
// knowledge of the rest, and have as many keys as was asked for, whatever the keys are.
//
// Nothing here crosses lanes: any invocation may call, each for a diagonal of its own. Ranges that are not sorted give
// a cut that means nothing, but lies in both ranges; the cuts of growing diagonals may then fall.
#ifndef WEFT_MERGE_PATH_GLSL
#define WEFT_MERGE_PATH_GLSL

#include "weft/ordered_key.glsl"

// For RANGES, a struct that says where keys lie and for which
//   bool merge_path_a_first(RANGES ranges, uint a, uint b)
// says whether key a of A comes before key b of B in the merge, this defines
//   uint merge_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b)
// how many of the first `diagonal` keys of the merge are of A; the others are the first of B. `diagonal` is
// at most count_a + count_b, which is below 2^32. Takes 2 keys a step and as many steps as the shorter
// range's length has bits, at most 32.
#define WEFT_MERGE_PATH(RANGES)                                                              \
  uint merge_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b) {         \
    uint low = diagonal - min(diagonal, count_b);                                           \
    uint high = min(diagonal, count_a);                                                     \
    for (uint i = 0u; i < 32u && low < high; ++i) {                                         \
      const uint a = low + ((high - low) >> 1);                                             \
      const bool a_first = merge_path_a_first(ranges, a, diagonal - 1u - a);                \
      low = a_first ? a + 1u : low;                                                         \
      high = a_first ? high : a;                                                            \
    }                                                                                       \
    return low;                                                                             \
  }

// Whether key a of A comes before key b of B. `equal_from_a`: so does an equal one, as in a stable merge.
bool merge_path_a_first(uvec2 a, uvec2 b, bool equal_from_a) {
  return equal_from_a ? !word64_less(b, a) : word64_less(a, b);
}

// Keys at device addresses.
struct MergeRanges {
  uvec2 keys_a, keys_b;
  bool equal_from_a;
};

bool merge_path_a_first(MergeRanges ranges, uint a, uint b) {
  const uvec2 key_a = ordered_key_load(ranges.keys_a, a);
  const uvec2 key_b = ordered_key_load(ranges.keys_b, b);
  return merge_path_a_first(key_a, key_b, ranges.equal_from_a);
}

WEFT_MERGE_PATH(MergeRanges)

#endif
