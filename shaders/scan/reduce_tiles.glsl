// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Combines each workgroup's run of tiles into partials[workgroup]. Where the host dispatches one workgroup only
// (partial_count 1), that writes the result at once.
//
// Operators that commute fold each lane's vectors of all tiles in the lane and cross lanes once, at the end. The others
// cross lanes in every row and subgroups in every tile, so that items keep their order.
#ifndef WEFT_REDUCE_TILES_GLSL
#define WEFT_REDUCE_TILES_GLSL

#include "weft/partials.glsl"
#include "weft/tile.glsl"
#include "scan/reduce.h"
#include "scan/reduce_output.glsl"

layout(push_constant, std430) uniform Push { ReducePush push; };

#if WEFT_ACCUMULATOR == WEFT_ARG

// What a lane has found in its workgroup's run of tiles: a key as narrow as the item allows, and its position in the
// run; the host keeps runs shorter than 2^32 items.
struct Folded {
  ReduceKey key;
  uint position;  // ~0: nothing yet
};

Folded reduce_nothing() { return Folded(ReduceKey(0), ~0u); }

// Items come in ascending order, so that only a better one replaces an earlier one.
bool reduce_better(ReduceKey key, Folded than) {
  return than.position == ~0u || (kOp == kOpArgMin ? key < than.key : key > than.key);
}

// Adds vector v of tile number i of the run.
void reduce_row(uint vector[WEFT_VECTOR_INPUT_WORDS], uvec2 present, uint v, uint i, inout Folded folded) {
  const uint position = i * kTileItems + v * WEFT_VECTOR_ITEMS;
  if (tile_is_full(present)) {
    Folded best = Folded(key_of_item(vector_bits(vector, 0u)), position);
    [[unroll]] for (uint k = 1; k < WEFT_VECTOR_ITEMS; ++k) {
      const ReduceKey key = key_of_item(vector_bits(vector, k));
      if (kOp == kOpArgMin ? key < best.key : key > best.key) best = Folded(key, position + k);
    }
    if (reduce_better(best.key, folded)) folded = best;
  } else {
    const uvec2 inside = tile_present_in_vector(present, v);
    [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
      const ReduceKey key = key_of_item(vector_bits(vector, k));
      if (k >= inside.x && k < inside.y && reduce_better(key, folded)) folded = Folded(key, position + k);
    }
  }
}

#if WEFT_ITEM_BYTES < 8
// The best of a subgroup's lanes, on all of them.
Folded reduce_across_lanes(Folded folded) {
  const bool none = folded.position == ~0u;
  Folded best;
  if (kOp == kOpArgMin)
    best.key = subgroup_min(none ? ~0u : folded.key);
  else
    best.key = subgroup_max(none ? 0u : folded.key);
  best.position = subgroup_min(folded.key == best.key ? folded.position : ~0u);
  return best;
}
#endif

Accumulator reduce_lane_total(Folded folded, TileRange range, uint first_tile) {
  if (folded.position == ~0u) return identity();
  const uvec2 first = word64_subtract(word64_multiply(first_tile, kTileItems), uvec2(range.head, 0u));
  return Accumulator(words_of_key(folded.key), word64_add(first, folded.position));
}

#else

#define Folded Accumulator
Accumulator reduce_nothing() { return identity(); }

// Adds vector v of tile number i of the run: per lane where the operator commutes, else per subgroup.
void reduce_row(uint vector[WEFT_VECTOR_INPUT_WORDS], uvec2 present, uint v, uint i, inout Accumulator folded) {
  const Accumulator total = tile_vector_total(vector, present, v);
  folded = combine(folded, kCommutes ? total : subgroup_reduce(total));
}

Accumulator reduce_lane_total(Accumulator folded, TileRange range, uint first_tile) { return folded; }

#endif

void reduce_full_row(TileVector packed, uint v, uint i, inout Folded folded) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  reduce_row(vector, uvec2(0u, kTileItems), v, i, folded);
}

void reduce_tiles() {
  const TileRange range = tile_range(count_of(push.count, push.count_words, push.count_value), push.head);
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;

  Folded folded = reduce_nothing();
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    const uint tile = first_tile + i;
    if (!tile_exists(range, tile)) break;
    const uvec2 present = tile_present(range, tile);
    const uvec2 source = tile_input_address(push.items, range, tile);
    Folded own = folded;
    if (!kCommutes) own = reduce_nothing();
    if (tile_is_loadable(source, present)) {
      TileWords words;
      tile_load(source, words);
#define WEFT_REDUCE_ROW(row) \
  if (row < kRows) reduce_full_row(words.row_##row, tile_vector(row), i, own);
      WEFT_FOR_ROWS(WEFT_REDUCE_ROW)
#undef WEFT_REDUCE_ROW
    } else {
      [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
        uint vector[WEFT_VECTOR_INPUT_WORDS];
        tile_load_vector(source, present, tile_vector(row), vector);
        reduce_row(vector, present, tile_vector(row), i, own);
      }
    }
#if WEFT_ACCUMULATOR != WEFT_ARG
    if (!kCommutes) {
      Accumulator aggregate;
      workgroup_exclusive_of_subgroups(own, i & 1u, aggregate);
      own = combine(folded, aggregate);
    }
#endif
    folded = own;
  }

#if WEFT_ACCUMULATOR == WEFT_ARG && WEFT_ITEM_BYTES < 8
  const Accumulator own = reduce_lane_total(reduce_across_lanes(folded), range, first_tile);
  Accumulator total;
  workgroup_exclusive_of_subgroups(own, 0u, total);
#else
  Accumulator total = reduce_lane_total(folded, range, first_tile);
  if (kCommutes) total = workgroup_reduce(total, 0u);
#endif
  if (gl_LocalInvocationIndex == 0u) {
    if (push.partial_count == 1u)
      reduce_write(push.result, push.initial, total);
    else
      partials_store(push.partials, gl_WorkGroupID.x, total);
  }
}

#endif
