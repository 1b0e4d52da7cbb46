// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every function of fse.glsl, for tests/blocks/fse_test.cpp. The first kTables groups of a workgroup build push.delta
// tables each, one after the other and without a barrier between. Inputs of each turn of a workgroup are for each of
// these groups an accuracy, how many symbols there are, and push.lane counts; all other groups ask for the first one's
// table. Results of each turn are what each lane was given, and for each of these groups as many entries as a table may
// have, which were push.mask before the first turn. They are read by the group in front.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

layout(constant_id = 2) const uint kMaxSymbols = 256;
layout(constant_id = 3) const uint kMaxAccuracy = 12;
layout(constant_id = 4) const uint kTables = 1;
#define WEFT_FSE_SYMBOLS kMaxSymbols
#define WEFT_FSE_ACCURACY kMaxAccuracy
#define WEFT_FSE_TABLES kTables
#include "weft/fse.glsl"

#include "self_test.h"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(push_constant, scalar) uniform Push { SelfTestPush push; };

void main() {
  const uint group = lanes_group();
  const uint lane = lanes_lane();
  const uint own_table = group < kTables ? group : 0u;
  const uint read_table = (group + 1u) % kTables;
  Words inputs = Words(push.inputs);
  Words results = Words(push.results);
  if (group < kTables)
    for (uint i = lane; i < kFseStates; i += 32u) weft_fse_table[group * kFseStates + i] = push.mask;

  for (uint i = 0u; i < push.delta; ++i) {
    const uint turn = gl_WorkGroupID.x * push.delta + i;
    const uint input_word = (turn * kTables + own_table) * (2u + push.lane);
    for (uint symbol = lane; symbol < push.lane; symbol += 32u)
      fse_set_count(group, symbol, int(inputs.at[input_word + 2u + symbol]));
    const bool built = lanes_fse_build(inputs.at[input_word + 1u], inputs.at[input_word]);

    const uint result_word = turn * (kWorkgroupSize + kTables * kFseStates);
    results.at[result_word + lanes_position()] = built ? 1u : 0u;
    if (group < kTables)
      for (uint state = lane; state < kFseStates; state += 32u) {
        const uint entry = fse_entry(read_table, state);
        results.at[result_word + kWorkgroupSize + read_table * kFseStates + state] =
            fse_symbol(entry) | fse_bits(entry) << 8 | fse_baseline(entry) << 16;
      }
  }
}
