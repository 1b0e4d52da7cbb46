// SPDX-License-Identifier: MIT OR Apache-2.0
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

// A flag of a byte for each item, whether it is below a bound: a predicate as programs have it that select by flags. 4
// items an invocation.
layout(local_size_x = 256) in;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Items { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Flags { uint at[]; };

layout(push_constant, std430) uniform Push {
  uvec2 items;
  uvec2 flags;
  uint vector_count;
  uint bound;
} push;

void main() {
  const uint vector = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationIndex;
  if (vector >= push.vector_count) return;
  const uvec4 below = uvec4(lessThan(Items(push.items).at[vector], uvec4(push.bound)));
  Flags(push.flags).at[vector] = below.x | below.y << 8 | below.z << 16 | below.w << 24;
}
