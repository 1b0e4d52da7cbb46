// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A prefix pass in one dispatch. Workgroup number k combines tile k and publishes its aggregate; then it emits tile
// k - lag, whose predecessors have published theirs by then, so that it rarely waits. Its words are read a second time
// for that, but from the device's cache, since the host chooses the lag to fit it: memory is read once. Both reads are
// under way together.
//
// Holding tiles in registers until their predecessors are published instead reads nothing twice, but then what is in
// flight is bounded by registers, all workgroups wait for each other in step, and memory idles meanwhile
// (docs/performance/scan.md). Reductions by key are faster so: core/prefix_held.glsl.
//
// The fallback pass emits deferred tiles row by row. A call whose items fit one tile has no scratch and no look-back.
//
// After weft/look_back.glsl, with look_back_aggregate() and look_back_finish(), and the hooks of a pass: PassTile,
// PassWords, PassHeld, pass_range(), pass_tile(), pass_initial(), pass_fetch(), pass_aggregate(), pass_total(),
// pass_take(), pass_store() and pass_none(), as in scan/scan_pass.glsl.
#ifndef WEFT_PREFIX_LOOK_BACK_GLSL
#define WEFT_PREFIX_LOOK_BACK_GLSL

// The first pass stands in main: as a function of its own it was up to 7 % slower.
void main() {
  if (kFallbackPass) {
    look_back_fallback(LookBack(push.scratch, push.tile_capacity), pass_initial());
    return;
  }
  const TileRange range = pass_range();
  const LookBack state = LookBack(push.scratch, push.tile_capacity);
  const bool alone = push.scratch == uvec2(0u);
  const uint lag = alone ? 0u : push.lag;

  const uint ticket = alone ? 0u : look_back_ticket(state);
  const bool emits = ticket >= lag && tile_exists(range, ticket - lag);
  const PassTile tile = pass_tile(range, ticket - lag);
  PassWords words;
  if (emits) pass_fetch(tile, words);

  const bool combines = !alone && tile_exists(range, ticket);
  if (combines) look_back_publish_tile(state, ticket, pass_aggregate(pass_tile(range, ticket), 1u));
  if (!emits) {
    if (combines) look_back_close_block(state, ticket);
    if (ticket == 0u && !tile_exists(range, 0u)) pass_none();
    return;
  }

  PassHeld held;
  Accumulator aggregate;
  const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(pass_total(tile, words, held), 0u, aggregate);
  if (combines) look_back_close_block(state, ticket);
  Accumulator prefix = pass_initial();
  if (!alone && !look_back_prefix(state, ticket - lag, pass_initial(), prefix)) return;
  pass_store(tile, words, held, prefix, subgroups_before, aggregate);
}

#endif
