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

#if WEFT_ACCUMULATOR == WEFT_ARG

// The combination of a vector's present items; they come in ascending order of index.
Accumulator reduce_vector(uint vector[WEFT_VECTOR_INPUT_WORDS], uvec2 present, uint v, TileRange range, uint tile) {
  const uvec2 tile_first = word64_subtract(word64_multiply(tile, kTileItems), uvec2(range.head, 0u));
  const uvec2 vector_first = word64_add(tile_first, v * WEFT_VECTOR_ITEMS);
  const uvec2 inside = tile_present_in_vector(present, v);
  Accumulator best = identity();
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k)
    if (k >= inside.x && k < inside.y)
      best = combine(best, Accumulator(key_of_item(vector_bits(vector, k)), word64_add(vector_first, k)));
  return best;
}

#else

Accumulator reduce_vector(uint vector[WEFT_VECTOR_INPUT_WORDS], uvec2 present, uint v, TileRange range, uint tile) {
  return tile_vector_total(vector, present, v);
}

#endif

// Adds a row's vector to what is folded so far: per lane where the operator commutes, else per subgroup.
void reduce_row(uint vector[WEFT_VECTOR_INPUT_WORDS], uvec2 present, uint row, TileRange range, uint tile,
                inout Accumulator folded) {
  const Accumulator total = reduce_vector(vector, present, tile_vector(row), range, tile);
  folded = combine(folded, kCommutes ? total : subgroup_reduce(total));
}

void reduce_tiles() {
  const TileRange range = tile_range(count_of(push.count, push.count_words, push.count_value), push.head);
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;

  Accumulator folded = identity();
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    const uint tile = first_tile + i;
    if (!tile_exists(range, tile)) break;
    const uvec2 present = tile_present(range, tile);
    const uvec2 source = tile_input_address(push.items, range, tile);
    Accumulator own = kCommutes ? folded : identity();
    if (tile_is_full(present)) {
      uint words[WEFT_TILE_WORDS];
      tile_load(source, words);
      [[unroll]] for (uint row = 0; row < kRows; ++row) {
        uint vector[WEFT_VECTOR_INPUT_WORDS];
        tile_row(words, row, vector);
        reduce_row(vector, uvec2(0u, kTileItems), row, range, tile, own);
      }
    } else {
      [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
        uint vector[WEFT_VECTOR_INPUT_WORDS];
        tile_load_vector(source, present, tile_vector(row), vector);
        reduce_row(vector, present, row, range, tile, own);
      }
    }
    if (kCommutes) {
      folded = own;
    } else {
      Accumulator aggregate;
      workgroup_exclusive_of_subgroups(own, i & 1u, aggregate);
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
