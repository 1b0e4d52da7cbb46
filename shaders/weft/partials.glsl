// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One accumulator per workgroup, handed from a reducing dispatch to the one that follows it.
#ifndef WEFT_PARTIALS_GLSL
#define WEFT_PARTIALS_GLSL

#include "weft/tile.glsl"
#include "weft/workgroup_scan.glsl"

void partials_store(uvec2 partials, uint index, Accumulator v) {
  Words words = Words(partials);
#if WEFT_ACCUMULATOR == WEFT_ARG
  words.at[4u * index] = v.key.x;
  words.at[4u * index + 1u] = v.key.y;
  words.at[4u * index + 2u] = v.index.x;
  words.at[4u * index + 3u] = v.index.y;
#else
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i)
    words.at[WEFT_ACCUMULATOR_WORDS * index + i] = word_of(v, i);
#endif
}

Accumulator partials_load(uvec2 partials, uint index) {
  Words words = Words(partials);
#if WEFT_ACCUMULATOR == WEFT_ARG
  return Accumulator(uvec2(words.at[4u * index], words.at[4u * index + 1u]),
                     uvec2(words.at[4u * index + 2u], words.at[4u * index + 3u]));
#elif WEFT_ACCUMULATOR_WORDS == 2
  return accumulator_of(uvec2(words.at[2u * index], words.at[2u * index + 1u]));
#else
  return accumulator_of(uvec2(words.at[index], 0u));
#endif
}

// The combination of the first `count` partials, on all invocations. Every invocation of the workgroup calls; each folds a run of
// neighbours, so that their order is kept.
Accumulator partials_reduce(uvec2 partials, uint count, uint slot) {
  const uint run = (count + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = (subgroup_index() * kSubgroupSize + subgroup_lane()) * run;
  Accumulator folded = identity();
  for (uint i = first; i < min(first + run, count); ++i) folded = combine(folded, partials_load(partials, i));
  return workgroup_reduce(folded, slot);
}

#endif
