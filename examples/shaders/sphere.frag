// SPDX-License-Identifier: MIT OR Apache-2.0
#version 460

layout(location = 0) in vec2 corner;
layout(location = 1) flat in vec3 colour;
layout(location = 0) out vec4 pixel;

void main() {
  const float height = 1.0 - dot(corner, corner);
  if (height < 0.0) discard;
  const vec3 normal = vec3(corner, -sqrt(height));
  pixel = vec4(colour * (0.25 + 0.75 * max(dot(normal, vec3(-0.48, -0.64, -0.6)), 0.0)), 1.0);
}
