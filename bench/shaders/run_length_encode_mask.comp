// SPDX-License-Identifier: MIT OR Apache-2.0
#version 450
#extension GL_GOOGLE_include_directive : require
#include "run_length_encode.glsl"

// Four items an invocation. What the last vector holds behind the last item is masked too, and not looked at.
void main() {
  const uint first = 4 * invocation();
  if (first >= push.count) return;
  const uvec4 items = VectorsIn(push.items).vectors[first / 4];
  const uint before = first == 0 ? ~items.x : WordsIn(push.items).words[first - 1];
  VectorsOut(push.mask).vectors[first / 4] = uvec4(notEqual(items, uvec4(before, items.xyz)));
}
