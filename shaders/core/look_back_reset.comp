// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Clears the ticket and the tile states that weft/look_back.glsl keeps in scratch. A dispatch, not a fill command, so
// that callers have one pipeline stage to think of.
//
// family: look_back
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "core/look_back.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kWorkgroupSize = 256;

layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Vectors { uvec4 at[]; };
layout(push_constant, std430) uniform Push { LookBackResetPush push; };

void main() {
  const uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kWorkgroupSize + gl_LocalInvocationID.x;
  if (i < push.vectors) Vectors(push.scratch).at[i] = uvec4(0u);
}
