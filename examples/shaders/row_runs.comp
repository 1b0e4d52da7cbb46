// SPDX-License-Identifier: MIT OR Apache-2.0
//
// For each row of an image, one workgroup each: where its runs of equal pixels begin, and how many there are.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_GOOGLE_include_directive : require
#include "weft/compact.glsl"
#include "weft/run_heads.glsl"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(push_constant) uniform Push { uvec2 image; uvec2 starts; uvec2 counts; uint width; };

void main() {
  const uint row = gl_WorkGroupID.x * width;
  uint runs_before = 0u;
  for (uint first = 0u, slot = 0u; first < width; first += kWorkgroupSize, slot ^= 1u) {
    const uint x = first + subgroup_index() * kSubgroupSize + subgroup_lane();
    const uint pixel = x < width ? Words(image).at[row + x] : 0u;
    const uint before = first != 0u ? Words(image).at[row + first - 1u] : 0u;
    const bool head = workgroup_run_head(pixel, before, first != 0u, slot) && x < width;
    uint runs;
    const uint run = runs_before + workgroup_compact(head, slot, runs);
    if (head) Words(starts).at[row + run] = x;
    runs_before += runs;
  }
  if (gl_LocalInvocationIndex == 0u) Words(counts).at[gl_WorkGroupID.x] = runs_before;
}
