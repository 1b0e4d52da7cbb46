// SPDX-License-Identifier: MIT OR Apache-2.0
//
// lz_copy.glsl for tests/blocks/lz_copy_test.cpp. Each group writes an output of its own. Of its push.lane input words,
// the first four are the output's first byte among the results, how many batches there are, the first word of its
// literals among these, and at how many sixteenths of a batch a call ends. Then come for each sequence the
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
    const uint own_word = region + 4u + 6u * (32u * batch + lanes_lane());
    const uvec2 literal_lengths = uvec2(inputs.at[own_word], inputs.at[own_word + 3u]);
    const uvec2 match_lengths = uvec2(inputs.at[own_word + 1u], inputs.at[own_word + 4u]);
    const uint literal_end = lanes_inclusive_add(literal_lengths.x + literal_lengths.y);
    const uint own_bytes = literal_lengths.x + match_lengths.x + literal_lengths.y + match_lengths.y;
    const uint end = lanes_inclusive_add(own_bytes);
    LzSequence one, two;
    one.begin = position + end - own_bytes;
    one.match = one.begin + literal_lengths.x;
    one.end = one.match + match_lengths.x;
    one.offset = inputs.at[own_word + 2u];
    one.literals = literals + literal_end - literal_lengths.y - one.match;
    two.begin = one.end;
    two.match = two.begin + literal_lengths.y;
    two.end = two.match + match_lengths.y;
    two.offset = inputs.at[own_word + 5u];
    two.literals = literals + literal_end - two.match;

    const uint batch_end = position + lanes_broadcast(end, 31u);
    const uint middle = position + (batch_end - position) * split / 16u;
    while (lanes_uniform(position < batch_end)) {
      const uint to = min(position < middle ? middle : batch_end, lz_window_end(position));
      lz_copy(words, first, one, two, position, to);
      position = to;
    }
    literals += lanes_broadcast(literal_end, 31u);
  }
  lz_end(words, first, position);
}
