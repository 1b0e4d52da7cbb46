// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of RunLengthDecode: one workgroup turns the totals of spans into what lies before them, and writes the total of all
// and the status.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/run_length_decode_tiles.glsl"

void main() {
  Words2 prefixes = Words2(push.prefixes);
  const uint run = (push.spans + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = run_place() * run;
  uvec2 sum = uvec2(0u);
  for (uint i = 0u; i < run; ++i)
    if (first + i < push.spans) sum = word64_add_saturated(sum, prefixes.at[first + i]);

  uvec2 before, total;
  uint unused;
  workgroup_exclusive_add_saturated(sum, 0u, before, unused, total);

  for (uint i = 0u; i < run; ++i) {
    if (first + i >= push.spans) break;
    const uvec2 own = prefixes.at[first + i];
    prefixes.at[first + i] = before;
    before = word64_add_saturated(before, own);
  }
  if (gl_LocalInvocationIndex == 0u) {
    Words result = Words(push.total);
    result.at[0] = total.x;
    result.at[1] = total.y;
    Words(push.status).at[0] = word64_less(push.max_output, total) ? 1u : 0u;
  }
}
