// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A prefix pass in one dispatch that reads its input once: a tile waits in registers and shared memory until its
// predecessors are published. prefix_look_back.glsl reads tiles twice instead, for passes that compute less.
//
// After weft/look_back.glsl and the hooks of a pass: prefix_look_back.glsl lists them.
#ifndef WEFT_PREFIX_HELD_GLSL
#define WEFT_PREFIX_HELD_GLSL

void main() {
  if (kFallbackPass) {
    look_back_fallback(LookBack(push.scratch, push.tile_capacity), pass_initial());
    return;
  }
  const TileRange range = pass_range();
  const LookBack state = LookBack(push.scratch, push.tile_capacity);
  const bool alone = push.scratch == uvec2(0u);
  const uint ticket = alone ? 0u : look_back_ticket(state);
  if (!tile_exists(range, ticket)) {
    if (ticket == 0u) pass_none();
    return;
  }
  const PassTile tile = pass_tile(range, ticket);
  PassWords words;
  PassHeld held;
  Accumulator aggregate;
  const Accumulator total = pass_take(tile, words, held);
  const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(total, 0u, aggregate);
  if (!alone) look_back_publish_tile(state, ticket, aggregate);
  pass_stage(tile, words, held);
  if (!alone) look_back_close_block(state, ticket);
  Accumulator prefix = pass_initial();
  if (!alone && !look_back_prefix(state, ticket, pass_initial(), prefix)) return;
  pass_store(tile, words, held, prefix, subgroups_before, aggregate);
}

#endif
