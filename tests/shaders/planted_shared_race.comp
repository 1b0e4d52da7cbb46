// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Reverses the words of a workgroup through shared memory; with WEFT_PLANTED the barrier between write and read is
// missing, which the race check must report.
#version 460
#include "weft/subgroup.glsl"
#include "planted.glsl"

shared uint words[kWorkgroupSize];

void main() {
  const uint own = gl_LocalInvocationIndex;
  words[own] = own;
#ifndef WEFT_PLANTED
  barrier();
#endif
  PlantedWords(push.target).at[own] = words[kWorkgroupSize - 1u - own];
}
