// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The arguments of an indirect dispatch for a count; the same split as the host's dispatch_size().
#ifndef WEFT_DISPATCH_ARGUMENTS_GLSL
#define WEFT_DISPATCH_ARGUMENTS_GLSL

#include "weft/buffers.glsl"

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

// `groups`: items a workgroup, for which the count makes less than 2^32 workgroups; and the most workgroups of a row.
void dispatch_arguments_store(uvec2 address, uvec2 count, uvec2 groups) {
  const uint number = count.y == 0u ? divide_up(count.x, groups.x) : divide_up(count, groups.x);
  const uint y = max(divide_up(number, groups.y), 1u);
  Words command = Words(address);
  command.at[0] = divide_up(number, y);
  command.at[1] = y;
  command.at[2] = 1u;
}

#endif
