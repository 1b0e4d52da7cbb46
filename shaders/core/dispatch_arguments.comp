// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Writes the arguments of an indirect dispatch for a count; the same split as the host's dispatch_size().
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"

const uint kTileItems = kWorkgroupSize;  // of weft/tile_range.glsl, whose tiles are not used
#include "weft/tile_range.glsl"
#include "core/dispatch_arguments.h"

layout(push_constant, std430) uniform Push { DispatchArgumentsPush push; };

uint divide_up(uint a, uint b) { return a / b + (a % b == 0u ? 0u : 1u); }

// The same of 64 bits, bit by bit, where the quotient has 32: a.y is less than b.
uint divide_up(uvec2 a, uint b) {
  uint rest = a.y;
  uint quotient = 0u;
  for (uint i = 32u; i-- > 0u;) {
    const bool carry = (rest >> 31) != 0u;
    rest = (rest << 1) | ((a.x >> i) & 1u);
    const bool fits = carry || rest >= b;
    if (fits) rest -= b;
    quotient = (quotient << 1) | (fits ? 1u : 0u);
  }
  return quotient + (rest == 0u ? 0u : 1u);
}

void main() {
  if (gl_LocalInvocationIndex != 0u) return;
  const uvec2 count = count_of(push.count, push.count_words, push.count_value);
  const uint groups = count.y == 0u ? divide_up(count.x, push.group_items) : divide_up(count, push.group_items);
  const uint y = max(divide_up(groups, push.max_groups_x), 1u);
  Words command = Words(push.command);
  command.at[0] = divide_up(groups, y);
  command.at[1] = y;
  command.at[2] = 1u;
}
