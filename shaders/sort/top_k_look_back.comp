// SPDX-License-Identifier: MIT OR Apache-2.0
//
// TopK: keys move in one dispatch, as in scan_look_back.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/top_k_tile.glsl"
#define WEFT_LOOK_BACK_FAST_PATH
#include "weft/look_back.glsl"

uvec2 look_back_aggregate(uint tile) {
  uvec2 total;
  workgroup_exclusive_of_subgroups(top_k_aggregate(top_k_tile(top_k_range(), tile)), 1u, total);
  return total;
}

void look_back_finish(uint index, uvec2 prefix) {
  const TopKTile tile = top_k_tile(top_k_range(), index);
  TopKKeys keys;
  top_k_fetch(tile, keys);
  const uvec2 masks = top_k_masks(tile, keys);
  uvec2 total;
  const uvec2 subgroups_before = workgroup_exclusive_of_subgroups(top_k_subgroup_counts(masks), 0u, total);
  top_k_store(tile, keys, masks, combine(prefix, subgroups_before));
}

void main() {
  if (kFallbackPass) {
    look_back_fallback(LookBack(push.scratch, push.tile_capacity), identity());
    return;
  }
  const TileRange range = top_k_range();
  const LookBack state = LookBack(push.scratch, push.tile_capacity);
  const bool alone = push.scratch == uvec2(0u);
  const uint lag = alone ? 0u : push.lag;

  const uint ticket = alone ? 0u : look_back_ticket(state);
  const bool moves = ticket >= lag && tile_exists(range, ticket - lag);
  const TopKTile tile = top_k_tile(range, ticket - lag);
  TopKKeys keys;
  if (moves) top_k_fetch(tile, keys);

  uvec2 total;
  const bool counts = !alone && tile_exists(range, ticket);
  if (counts) {
    workgroup_exclusive_of_subgroups(top_k_aggregate(top_k_tile(range, ticket)), 1u, total);
    look_back_publish_tile(state, ticket, total);
  }
  if (!moves) {
    if (counts) look_back_close_block(state, ticket);
    return;
  }

  const uvec2 masks = top_k_masks(tile, keys);
  const uvec2 subgroups_before = workgroup_exclusive_of_subgroups(top_k_subgroup_counts(masks), 0u, total);
  if (counts) look_back_close_block(state, ticket);
  uvec2 prefix = identity();
  if (!alone && !look_back_prefix(state, ticket - lag, identity(), prefix)) return;
  if (total != uvec2(0u)) top_k_store(tile, keys, masks, combine(prefix, subgroups_before));
}
