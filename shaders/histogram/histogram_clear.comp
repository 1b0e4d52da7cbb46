// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of Histogram: sets all counters to 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/buffers.glsl"
#include "weft/subgroup.glsl"
#include "histogram/histogram.h"

layout(push_constant, std430) uniform Push { HistogramPush push; };

void main() {
  const uint bin = gl_WorkGroupID.x * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane();
  if (bin < push.bins) Words(push.outputs).at[bin] = 0u;
}
