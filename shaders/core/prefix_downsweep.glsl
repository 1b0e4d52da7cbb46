// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of reduce-then-scan. The first, an upsweep over the same split, left the aggregate of each workgroup's
// run of tiles in partials. Each workgroup folds the partials before its own and emits its run tile by tile, carrying.
//
// After the hooks of a pass: prefix_look_back.glsl lists them.
#ifndef WEFT_PREFIX_DOWNSWEEP_GLSL
#define WEFT_PREFIX_DOWNSWEEP_GLSL

#include "weft/partials.glsl"

void main() {
  const TileRange range = pass_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  if (!tile_exists(range, first_tile)) {
    if (first_tile == 0u) pass_none();
    return;
  }

  Accumulator carry = combine(pass_initial(), partials_reduce(push.scratch, gl_WorkGroupID.x, 1u));
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!tile_exists(range, first_tile + i)) break;
    const PassTile tile = pass_tile(range, first_tile + i);
    PassWords words;
    PassHeld held;
    Accumulator aggregate;
    const Accumulator own_total = pass_take(tile, words, held);
    const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(own_total, i & 1u, aggregate);
    pass_stage(tile, words, held);
    pass_store(tile, words, held, carry, subgroups_before, aggregate);
    carry = combine(carry, aggregate);
  }
}

#endif
