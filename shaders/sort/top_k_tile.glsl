// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The pass of TopK that moves keys, inside a tile: which keys come before the k-th key, which are equal to it, and
// where they go. Each is counted; keys that come before go first, then the earliest of equal ones.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_TOP_K_TILE_GLSL
#define WEFT_TOP_K_TILE_GLSL

#define WEFT_OP 0  // add
#include "weft/workgroup_scan.glsl"
#include "sort/top_k.h"

const uint kRows = 8;
const uint kTileItems = kWorkgroupSize * kRows;

#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { TopKPush push; };

#include "sort/sort_items.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer States { TopKState at; };

TileRange pass_range() {
  return tile_range(count_of(push.count, push.count_words, uvec2(push.count_maximum, 0u)), 0u);
}

struct TopKTile {
  uint first;    // position of its first key
  uint present;  // its keys
};

TopKTile pass_tile(TileRange range, uint tile) {
  return TopKTile(tile * kTileItems, tile_present(range, tile).y);
}

// This lane's key in a row, by its position in the tile.
uint top_k_position(uint row) { return (subgroup_index() * kRows + row) * kSubgroupSize + subgroup_lane(); }

struct TopKKeys {
  uvec2 at[kRows];
};

void top_k_fetch(TopKTile tile, out TopKKeys keys) {
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    keys.at[row] = uvec2(0u);
    if (top_k_position(row) < tile.present)
      keys.at[row] = sort_load(push.keys, tile.first + top_k_position(row), kKeyWords);
  }
}

// Bit `row` of either: this lane's key comes before the k-th key, or is equal to it.
uvec2 top_k_masks(TopKTile tile, TopKKeys keys) {
  const uvec2 last = States(push.state).at.digits;
  uvec2 masks = uvec2(0u);
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const uvec2 ordered = sort_ordered(keys.at[row]);
    const bool present = top_k_position(row) < tile.present;
    masks.x |= uint(present && word64_less(ordered, last)) << row;
    masks.y |= uint(present && ordered == last) << row;
  }
  return masks;
}

// This subgroup's keys of either kind.
uvec2 top_k_subgroup_counts(uvec2 masks) { return subgroup_reduce(uvec2(bitCount(masks.x), bitCount(masks.y))); }

uvec2 top_k_aggregate(TopKTile tile) {
  TopKKeys keys;
  top_k_fetch(tile, keys);
  return top_k_subgroup_counts(top_k_masks(tile, keys));
}

// `before`: keys of either kind before this subgroup's.
void top_k_store(TopKTile tile, TopKKeys keys, uvec2 masks, uvec2 before) {
  States states = States(push.state);
  const uint first_tie = states.at.before;
  const uint found = first_tie + states.at.wanted;
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const bool is_first = ((masks.x >> row) & 1u) != 0u;
    const bool is_tie = ((masks.y >> row) & 1u) != 0u;
    const uvec4 firsts = subgroup_ballot(is_first);
    const uvec4 ties = subgroup_ballot(is_tie);
    const uint to = is_first ? before.x + subgroup_rank(firsts) : first_tie + before.y + subgroup_rank(ties);
    if ((is_first || is_tie) && to < found) {
      sort_store(push.keys_out, to, keys.at[row], kKeyWords);
      if (kValueWords != 0u) {
        const uint from = tile.first + top_k_position(row);
        uvec2 value = uvec2(from, 0u);
        if (push.values != uvec2(0u)) value = sort_load(push.values, from, kValueWords);
        sort_store(push.values_out, to, value, kValueWords);
      }
    }
    before += uvec2(ballot_bit_count(firsts), ballot_bit_count(ties));
  }
}

// ---- the hooks of a pass: scan/scan_pass.glsl describes them ----

#define PassTile TopKTile
const bool kPassStages = false;

#define PassWords TopKKeys

struct PassHeld {
  TopKKeys keys;
  uvec2 masks;
};

uvec2 pass_initial() { return identity(); }

void pass_fetch(TopKTile tile, inout PassWords keys) { top_k_fetch(tile, keys); }

uvec2 pass_aggregate(TopKTile tile, uint slot) {
  uvec2 total;
  workgroup_exclusive_of_subgroups(top_k_aggregate(tile), slot, total);
  return total;
}

uvec2 pass_total(TopKTile tile, PassWords keys, inout PassHeld held) {
  held = PassHeld(keys, top_k_masks(tile, keys));
  return top_k_subgroup_counts(held.masks);
}

uvec2 pass_take(TopKTile tile, inout PassWords keys, inout PassHeld held) {
  pass_fetch(tile, keys);
  return pass_total(tile, keys, held);
}

void pass_stage(TopKTile tile, PassWords keys, PassHeld held, uvec2 subgroups_before) {}

void pass_store(TopKTile tile, PassHeld held, uvec2 prefix, uvec2 subgroups_before, uvec2 total) {
  if (total != uvec2(0u)) top_k_store(tile, held.keys, held.masks, combine(prefix, subgroups_before));
}

void pass_none() {}

#endif
