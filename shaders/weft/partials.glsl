// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One accumulator per workgroup, handed from a reducing dispatch to the one that follows it.
#ifndef WEFT_PARTIALS_GLSL
#define WEFT_PARTIALS_GLSL

#include "weft/buffers.glsl"
#include "weft/workgroup_scan.glsl"

void partials_store(uvec2 partials, uint index, Accumulator v) {
#if WEFT_ACCUMULATOR == WEFT_ARG
  Words4(partials).at[index] = uvec4(v.key, v.index);
#else
  Words words = Words(partials);
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i)
    words.at[WEFT_ACCUMULATOR_WORDS * index + i] = word_of(v, i);
#endif
}

Accumulator partials_load(uvec2 partials, uint index) {
#if WEFT_ACCUMULATOR == WEFT_ARG
  const uvec4 words = Words4(partials).at[index];
  return Accumulator(words.xy, words.zw);
#elif WEFT_ACCUMULATOR_IS_STRUCT
  Words source = Words(partials);
  uint words[WEFT_ACCUMULATOR_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i) words[i] = source.at[WEFT_ACCUMULATOR_WORDS * index + i];
  return accumulator_of_words(words);
#elif WEFT_ACCUMULATOR_WORDS == 2
  return accumulator_of(Words2(partials).at[index]);
#else
  return accumulator_of(uvec2(Words(partials).at[index], 0u));
#endif
}

// The aggregate of the first `count` partials, on all invocations. Every invocation of the workgroup calls. Where order
// matters each folds a run of neighbours, else partials that lie a workgroup apart, so that loads are contiguous.
Accumulator partials_reduce(uvec2 partials, uint count, uint slot) {
  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uint run = (count + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = kCommutes ? position : position * run;
  const uint stride = kCommutes ? kWorkgroupSize : 1u;
  Accumulator folded = identity();
  for (uint i = 0u; i < run; ++i) {
    const uint index = first + i * stride;
    if (index < count) folded = combine(folded, partials_load(partials, index));
  }
  return workgroup_reduce(folded, slot);
}

#endif
