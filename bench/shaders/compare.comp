// SPDX-License-Identifier: MIT OR Apache-2.0
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require

// Where two arrays of words first differ, 4 vectors of 16 bytes an invocation.
const uint kInvocations = 256;
const uint kVectors = 4;
layout(local_size_x = kInvocations) in;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Words { uvec4 vectors[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer First { uint word; };

layout(push_constant, std430) uniform Push {
  uvec2 expected;
  uvec2 found;
  uvec2 first;  // the word's index, or 2^32 - 1, as it is at the beginning
  uint word_count;
} push;

void main() {
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  [[unroll]] for (uint i = 0; i < kVectors; ++i) {
    const uint vector = tile * (kInvocations * kVectors) + i * kInvocations + gl_LocalInvocationIndex;
    if (vector >= (push.word_count + 3) / 4) break;
    const uvec4 expected = Words(push.expected).vectors[vector];
    const uvec4 found = Words(push.found).vectors[vector];
    if (expected == found) continue;
    [[unroll]] for (uint k = 0; k < 4; ++k)
      if (expected[k] != found[k] && 4 * vector + k < push.word_count)
        atomicMin(First(push.first).word, 4 * vector + k);
  }
}
