// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Adds one to the words [first, first + kWorkgroupSize) of a buffer, wherever that is: beside the range that the host
// meant, or again in a second dispatch that no barrier separates from the first.
#version 460
#include "weft/subgroup.glsl"
#include "planted.glsl"

void main() {
  const uint word = push.first + gl_LocalInvocationIndex;
  PlantedWords(push.target).at[word] = PlantedWords(push.target).at[word] + 1u;
}
