// SPDX-License-Identifier: MIT OR Apache-2.0
//
// For each row of an image, one workgroup each: the position of each pixel, as many times as the pixel's level says.
// The host sees to it that there are no more than two for each pixel of a row.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_LOAD_BALANCE_OUTPUTS 512  // found at a time
#include "weft/buffers.glsl"
#include "weft/load_balance.glsl"

layout(push_constant) uniform Push { uvec2 image; uvec2 repeats; uvec2 counts; uint width; };

void main() {
  const uint row = gl_WorkGroupID.x * width;
  const uint position = lanes_position();
  uint row_before = 0u;
  for (uint first = 0u; first < width; first += kWorkgroupSize) {
    const uint x = first + position;
    LoadBalance balance = workgroup_balance(x < width ? Words(image).at[row + x] : 0u);
    for (uint output_first = 0u; output_first < balance.total; output_first += WEFT_LOAD_BALANCE_OUTPUTS) {
      workgroup_balance_outputs(balance, output_first);
      const uint end = min(output_first + WEFT_LOAD_BALANCE_OUTPUTS, balance.total);
      for (uint i = output_first + position; i < end; i += kWorkgroupSize) {
        uint rank;
        Words(repeats).at[2u * row + row_before + i] = first + workgroup_balance_source(balance, i, rank);
      }
    }
    row_before += balance.total;
  }
  if (position == 0u) Words(counts).at[gl_WorkGroupID.x] = row_before;
}
