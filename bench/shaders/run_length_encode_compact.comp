// SPDX-License-Identifier: MIT OR Apache-2.0
#version 450
#extension GL_GOOGLE_include_directive : require
#include "run_length_encode.glsl"

// Four items an invocation.
void main() {
  const uint first = 4 * invocation();
  if (first >= push.count) return;
  const uvec4 mask = VectorsIn(push.mask).vectors[first / 4];
  const uvec4 positions = VectorsIn(push.positions).vectors[first / 4];
  WordsOut heads = WordsOut(push.heads);
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    if (first + i >= push.count) return;
    if (mask[i] != 0) heads.words[positions[i]] = first + i;
    if (first + i + 1 == push.count) {
      const uint runs = positions[i] + mask[i];
      heads.words[runs] = push.count;
      WordsOut(push.run_count).words[0] = runs;
    }
  }
}
