// SPDX-License-Identifier: MIT OR Apache-2.0
//
// lz_copy.glsl for tests/blocks/lz_copy_test.cpp. Each group writes an output of its own. Of its push.lane input words,
// the first four are the output's first byte among the results, how many batches there are, the first word of its
// literals among these, and in how many sixteenths of a batch a second call goes on. Then come for each sequence the
// lengths of its literals and match, and its offset.
#version 460
#extension GL_EXT_scalar_block_layout : require
#include "weft/buffers.glsl"

#include "self_test.h"

layout(push_constant, scalar) uniform Push { SelfTestPush push; };

#define WEFT_LZ_LITERALS(WORD) Words(push.inputs).at[WORD]
#include "weft/lz_copy.glsl"
#include "weft/word64.glsl"

void main() {
  const uint region = (gl_WorkGroupID.x * lanes_group_count() + lanes_group()) * push.lane;
  Words inputs = Words(push.inputs);
  const uvec2 output_at = word64_add(push.results, uvec2(inputs.at[region], 0u));
  const uint first = output_at.x & 3u;
  Words words = Words(uvec2(output_at.x - first, output_at.y));
  const uint batches = inputs.at[region + 1u];
  const uint split = inputs.at[region + 3u];
  uint literals = 4u * (region + inputs.at[region + 2u]);
  uint position = first;

  lz_begin();
  for (uint batch = 0u; lanes_uniform(batch < batches); ++batch) {
    const uint own_word = region + 4u + 3u * (32u * batch + lanes_lane());
    const uint literal_length = inputs.at[own_word];
    const uint match_length = inputs.at[own_word + 1u];
    const uint literal_end = lanes_inclusive_add(literal_length);
    const uint end = lanes_inclusive_add(literal_length + match_length);
    LzSequence own;
    own.end = position + end;
    own.match = own.end - match_length;
    own.begin = own.match - literal_length;
    own.offset = inputs.at[own_word + 2u];
    own.literals = literals + literal_end - own.match;

    const uint batch_end = position + lanes_broadcast(end, 31u);
    const uint middle = position + (batch_end - position) * split / 16u;
    for (uint part = 0u; part < 2u; ++part)
      lz_copy(words, first, own, part == 0u ? position : middle, part == 0u ? middle : batch_end);
    position = batch_end;
    literals += lanes_broadcast(literal_end, 31u);
  }
  lz_end(words, first, position);
}
