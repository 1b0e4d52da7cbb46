// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of SetOperation share: counts, tiles, and how lanes walk through them. A tile is what lies between
// two cuts of the balanced path. It lies in shared memory, A's keys before B's; each lane cuts it again for itself, and
// takes its keys one by one, or both of a pair.
#ifndef WEFT_SET_OPERATION_TILES_GLSL
#define WEFT_SET_OPERATION_TILES_GLSL

#include "weft/subgroup.glsl"
#include "weft/balanced_path.glsl"
#include "merge/set_operation.h"
#include "merge/merge_key.glsl"

const uint kTileRoom = kWorkgroupSize * kSetKeys;
// From one tile's cut to the next: where a pair is in the way, a tile has one key more.
const uint kTileItems = kTileRoom - 1u;

#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { SetOperationPush push; };

uint count_a() { return count_of(push.count_a, push.words & 3u, uvec2(push.maximum_a, 0u)).x; }
uint count_b() { return count_of(push.count_b, (push.words >> 2) & 3u, uvec2(push.maximum_b, 0u)).x; }

// Where workgroups leave how many outputs they have.
Words tile_sums() {
  return Words(word64_add(push.scratch, word64_multiply(tile_count(push.maximum_a + push.maximum_b) + 1u, 8u)));
}

// Two ranges, whole.
struct TileInputs {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(TileInputs inputs, uint a, uint b) {
  return !merge_key_less(merge_key_at(merge_key_address(inputs.keys_b, b), 0u),
                         merge_key_at(merge_key_address(inputs.keys_a, a), 0u));
}

bool balanced_path_a_less(TileInputs inputs, uint a, uint b) {
  return merge_key_less(merge_key_at(merge_key_address(inputs.keys_a, a), 0u),
                        merge_key_at(merge_key_address(inputs.keys_b, b), 0u));
}

WEFT_MERGE_PATH(TileInputs)
WEFT_BALANCED_PATH(TileInputs)

// ---- a tile in shared memory ----

#if WEFT_MERGE_OWN
const uint kTileKeyWords = WEFT_ITEM_WORDS;
#else
const uint kTileKeyWords = kKeyWords;
#endif

// Keys word by word, in arrays of their own; then what is handed from lane to lane.
shared uint weft_tile_words[kTileRoom * kTileKeyWords];
shared uint weft_tile_sums[kSubgroupCount];

struct SetTile {
  uint first_a, first_b;
  uint count_a, count_b;
};

void tile_put(uint position, MergeKey key) {
#if WEFT_MERGE_OWN
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) weft_tile_words[w * kTileRoom + position] = key.words[w];
#else
  weft_tile_words[position] = key.x;
  if (kKeyWords == 2u) weft_tile_words[kTileRoom * (kTileKeyWords - 1u) + position] = key.y;
#endif
}

MergeKey tile_key(uint position) {
#if WEFT_MERGE_OWN
  MergeKey key;
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) key.words[w] = weft_tile_words[w * kTileRoom + position];
#else
  MergeKey key = uvec2(weft_tile_words[position], 0u);
  if (kKeyWords == 2u) key.y = weft_tile_words[kTileRoom * (kTileKeyWords - 1u) + position];
#endif
  return key;
}

bool merge_path_a_first(SetTile tile, uint a, uint b) {
  return !merge_key_less(tile_key(tile.count_a + b), tile_key(a));
}

bool balanced_path_a_less(SetTile tile, uint a, uint b) {
  return merge_key_less(tile_key(a), tile_key(tile.count_a + b));
}

WEFT_MERGE_PATH(SetTile)
WEFT_BALANCED_PATH(SetTile)

uint tile_lane() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

// Key `position` of the tile in memory, which it has.
MergeKey tile_load_key(SetTile tile, uint position) {
  const bool of_a = position < tile.count_a;
  const uvec2 keys = merge_key_address(of_a ? push.keys_a : push.keys_b, of_a ? tile.first_a : tile.first_b);
  return merge_key_at(keys, of_a ? position : position - tile.count_a);
}

// Loads tile `tile` of `total` keys, which exists. Every invocation of the workgroup calls. Holds a barrier at its
// begin and its end.
SetTile workgroup_load_tile(uint tile, uint total) {
  Words cuts = Words(push.scratch);
  const uint a = subgroup_uniform(cuts.at[2u * tile]);
  const uint b = subgroup_uniform(cuts.at[2u * tile + 1u]);
  const uint next_a = subgroup_uniform(cuts.at[2u * tile + 2u]);
  const uint next_b = subgroup_uniform(cuts.at[2u * tile + 3u]);
  // Of ranges that are not sorted, either count of the cuts may fall, but not their sum.
  const uint keys = min(next_a + next_b - a - b, kTileRoom);
  const uint of_a = clamp(next_a, a, a + keys) - a;
  const SetTile result = SetTile(a, b, of_a, keys - of_a);

  MergeKey loaded[kSetKeys];
  [[unroll]] for (uint r = 0; r < kSetKeys; ++r) {
    const uint position = r * kWorkgroupSize + tile_lane();
    if (position < keys) loaded[r] = tile_load_key(result, position);
  }
  barrier();
  [[unroll]] for (uint r = 0; r < kSetKeys; ++r) {
    const uint position = r * kWorkgroupSize + tile_lane();
    if (position < keys) tile_put(position, loaded[r]);
  }
  barrier();
  return result;
}

// Lanes' parts lie one after the other and end where the next begins, without communication: a lane that takes both of
// a pair goes one key further, where the next one's cut has been moved to. Each step takes a key at least, so that
// there are no more steps than keys.
//
// Gives the steps that the operation keeps, a bit each; of each step a key's first word and its position in the tile.
uint tile_walk(SetTile tile, out uint words[kSetKeys], out uint positions[kSetKeys]) {
  const uint total = tile.count_a + tile.count_b;
  const uint begin = min(tile_lane() * kSetKeys, total);
  const uint end = min(begin + kSetKeys, total);
  const uint last = max(total, 1u) - 1u;
  const BalancedCut cut = balanced_path_split(tile, begin, tile.count_a, tile.count_b);
  uint a = cut.a;
  uint b = cut.b;
  uint kept = 0u;
  [[unroll]] for (uint k = 0; k < kSetKeys; ++k) {
    const bool goes_on = a + b < end;
    const bool has_a = a < tile.count_a;
    const bool has_b = b < tile.count_b;
    const uint position_b = min(tile.count_a + b, last);
    const MergeKey key_a = tile_key(min(a, last));
    const MergeKey key_b = tile_key(position_b);
    const bool only_a = has_a && (!has_b || merge_key_less(key_a, key_b));
    // (Of a less() that is no order both could be so.)
    const bool only_b = !only_a && has_b && (!has_a || merge_key_less(key_b, key_a));
    const uint kind = only_a ? kSetKeptOfA : only_b ? kSetKeptOfB : kSetKeptPairs;
    kept |= goes_on && (push.kept & kind) != 0u ? 1u << k : 0u;
#if WEFT_MERGE_OWN
    words[k] = 0u;
#else
    words[k] = only_b ? key_b.x : key_a.x;
#endif
    positions[k] = only_b ? position_b : a;
    a += goes_on && !only_b ? 1u : 0u;
    b += goes_on && !only_a ? 1u : 0u;
  }
  return kept;
}

// The sum of `own` over the invocations before this one, and in `total` that over all. Every invocation of the
// workgroup calls, in workgroup-uniform control flow. Holds a barrier; there has to be one between two calls.
uint workgroup_exclusive_add(uint own, out uint total) {
  const uint inclusive = subgroup_inclusive_add(own);
  if (subgroup_lane() == kSubgroupSize - 1u) weft_tile_sums[subgroup_index()] = inclusive;
  barrier();
  uint before = inclusive - own;
  total = 0u;
  for (uint i = 0u; i < kSubgroupCount; ++i) {
    const uint sum = weft_tile_sums[i];
    before += mix(0u, sum, i < subgroup_index());
    total += sum;
  }
  return before;
}

#endif
