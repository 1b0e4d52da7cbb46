// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Prefix sums along each row of an image, a workgroup a row. Compile with
//   glslc --target-env=vulkan1.2 -I <where weft/*.glsl are> [-DWEFT_SUBGROUP_EMULATED=1] row_sums.comp
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#define WEFT_ITEM WEFT_U32  // what is combined
#define WEFT_OP kOpAdd      // and how
#include "weft/workgroup_scan.glsl"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Pixels { uint at[]; };
layout(push_constant) uniform Push { uvec2 image; uvec2 sums; uint width; };  // two addresses, and pixels a row

void main() {
  const uint row = gl_WorkGroupID.x * width;
  uint row_before = 0u;
  for (uint first = 0u, slot = 0u; first < width; first += kWorkgroupSize, slot ^= 1u) {
    const uint x = first + subgroup_index() * kSubgroupSize + subgroup_lane();
    const uint pixel = x < width ? Pixels(image).at[row + x] : 0u;
    uint total;
    const uint sum = workgroup_inclusive(pixel, slot, total);
    if (x < width) Pixels(sums).at[row + x] = row_before + sum;
    row_before += total;
  }
}
