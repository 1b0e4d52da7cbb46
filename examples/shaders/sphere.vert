// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A square around each sphere, across the view.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Spheres { vec4 at[]; };
layout(push_constant) uniform Push { uvec2 spheres; float slope, near, far; };
layout(location = 0) out vec2 corner;
layout(location = 1) flat out vec3 colour;

void main() {
  const vec4 sphere = Spheres(spheres).at[gl_InstanceIndex];
  const uint side = uint[](0u, 1u, 2u, 2u, 1u, 3u)[gl_VertexIndex];
  corner = vec2(side & 1u, side >> 1u) * 2.0 - 1.0;
  const vec3 point = sphere.xyz + vec3(corner * sphere.w, 0.0);
  gl_Position = vec4(point.xy / slope, far * (point.z - near) / (far - near), point.z);
  colour = 0.35 + 0.65 * fract(sphere.xyz * vec3(0.37, 0.61, 0.23));
}
