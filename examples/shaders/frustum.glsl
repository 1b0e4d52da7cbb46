// SPDX-License-Identifier: MIT OR Apache-2.0
// Keeps spheres that touch the frustum. The call's constant is the address of its six planes, whose normals have length
// 5 and point inside.
#include "weft/buffers.glsl"

#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(float, x) MEMBER(float, y) MEMBER(float, z) MEMBER(float, radius)
WEFT_DECLARE_ITEM

bool keep(Item sphere) {
  Words planes = Words(call_a());
  bool inside = true;
  for (uint p = 0u; p < 24u; p += 4u) {
    const vec3 normal = uintBitsToFloat(uvec3(planes.at[p], planes.at[p + 1u], planes.at[p + 2u]));
    const float distance = dot(normal, vec3(sphere.x, sphere.y, sphere.z)) + uintBitsToFloat(planes.at[p + 3u]);
    inside = inside && distance >= -5.0 * sphere.radius;
  }
  return inside;
}
