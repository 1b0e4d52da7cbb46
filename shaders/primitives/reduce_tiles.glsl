// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Combines each workgroup's run of tiles into partials[workgroup]. Where the host dispatches one workgroup only
// (partial_count 1), that writes the result at once.
//
// Operators that commute fold each lane's vectors of all tiles in the lane and cross lanes once, at the end. The others cross
// lanes in every row and subgroups in every tile, so that items keep their order.
#ifndef WEFT_REDUCE_TILES_GLSL
#define WEFT_REDUCE_TILES_GLSL

#include "weft/partials.glsl"
#include "primitives/reduce.h"
#include "primitives/reduce_output.glsl"

layout(push_constant, std430) uniform Push { ReducePush push; };

const bool kCommutes = kOp != kOpAffine;

#if WEFT_ACCUMULATOR == WEFT_ARG

// Folds one row's vector into `best`; items come in ascending order of index.
Accumulator row_total(uint words[WEFT_TILE_WORDS], uint row, uvec2 present, TileRange range, uint tile) {
  const uint first = tile_vector(row) * WEFT_VECTOR_ITEMS;
  const uvec2 tile_first = word64_subtract(word64_multiply(tile, kTileItems), uvec2(range.head, 0u));
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  tile_row(words, row, vector);
  Accumulator best = identity();
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
    const uint place = first + k;
    if (place >= present.x && place < present.y)
      best = combine(best, Accumulator(key_of_item(vector_bits(vector, k)), word64_add(tile_first, place)));
  }
  return best;
}

#else

Accumulator row_total(uint words[WEFT_TILE_WORDS], uint row, uvec2 present, TileRange range, uint tile) {
  return tile_vector_total(words, row, present);
}

#endif

void reduce_tiles() {
  const TileRange range = tile_range(count_of(push.count, push.count_words, push.count_value), push.head);
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;

  Accumulator folded = identity();
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    const uint tile = first_tile + i;
    if (!tile_exists(range, tile)) break;
    const uvec2 present = tile_present(range, tile);
    uint words[WEFT_TILE_WORDS];
    tile_load(tile_input_address(push.items, range, tile), present, words);
    if (kCommutes) {
      [[unroll]] for (uint row = 0; row < kRows; ++row)
        folded = combine(folded, row_total(words, row, present, range, tile));
    } else {
      Accumulator subgroup_total = identity();
      [[unroll]] for (uint row = 0; row < kRows; ++row)
        subgroup_total = combine(subgroup_total, subgroup_reduce(row_total(words, row, present, range, tile)));
      Accumulator aggregate;
      workgroup_exclusive_of_subgroups(subgroup_total, i & 1u, aggregate);
      folded = combine(folded, aggregate);
    }
  }

  if (kCommutes) folded = workgroup_reduce(folded, 0u);
  if (gl_LocalInvocationIndex == 0u) {
    if (push.partial_count == 1u)
      reduce_write(push.result, push.initial, folded);
    else
      partials_store(push.partials, gl_WorkGroupID.x, folded);
  }
}

#endif
