// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Whether each sphere touches the frustum: a flag for weft::Select.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Spheres { vec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Flags { uint at[]; };
// Planes have normals of length 5, which point inside.
layout(push_constant) uniform Push { vec4 planes[6]; uvec2 spheres; uvec2 flags; uint count; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  const vec4 sphere = Spheres(spheres).at[i];
  bool inside = true;
  for (uint p = 0u; p < 6u; ++p) inside = inside && dot(planes[p].xyz, sphere.xyz) + planes[p].w >= -5.0 * sphere.w;
  Flags(flags).at[i] = inside ? 1u : 0u;
}
