// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A prefix pass in one dispatch that reads its input once: a tile waits in registers and shared memory until its
// predecessors are published.
//
// The fallback pass emits deferred tiles row by row. A call whose items fit one tile has no scratch and no look-back.
//
// After weft/look_back.glsl, with look_back_aggregate() and look_back_finish(), and the hooks of a pass: PassTile,
// PassWords, PassHeld, pass_range(), pass_tile(), pass_initial(), pass_take(), pass_stage(), pass_store() and
// pass_none(), as in scan/scan_pass.glsl.
#ifndef WEFT_PREFIX_LOOK_BACK_GLSL
#define WEFT_PREFIX_LOOK_BACK_GLSL

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
