// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of RunLengthDecode: one workgroup turns the totals of spans into what lies before them, and writes the total of all
// and the status.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/run_length_decode_tiles.glsl"

shared uvec2 weft_outputs[kWorkgroupSize];
shared uint weft_extra[kWorkgroupSize];

void main() {
  const uint place = run_place();
  const uint own_spans = (push.spans + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = place * own_spans;
  RunsBefore sum = RunsBefore(uvec2(0u), 0u);
  for (uint i = 0u; i < own_spans; ++i)
    if (first + i < push.spans) sum = runs_before_add(sum, runs_before_load(first + i));

  for (uint delta = 1u; delta < kWorkgroupSize; delta <<= 1) {
    weft_outputs[place] = sum.outputs;
    weft_extra[place] = sum.extra;
    barrier();
    if (place >= delta)
      sum = runs_before_add(RunsBefore(weft_outputs[place - delta], weft_extra[place - delta]), sum);
    barrier();
  }
  weft_outputs[place] = sum.outputs;
  weft_extra[place] = sum.extra;
  barrier();
  RunsBefore before = RunsBefore(uvec2(0u), 0u);
  if (place != 0u) before = RunsBefore(weft_outputs[place - 1u], weft_extra[place - 1u]);

  for (uint i = 0u; i < own_spans; ++i) {
    if (first + i >= push.spans) break;
    const RunsBefore own = runs_before_load(first + i);
    runs_before_store(first + i, before);
    before = runs_before_add(before, own);
  }
  if (place == kWorkgroupSize - 1u) {
    runs_before_store(runs_before_of_all(), sum);
    Words result = Words(push.total);
    result.at[0] = sum.outputs.x;
    result.at[1] = sum.outputs.y;
    Words(push.status).at[0] = word64_less(push.max_output, sum.outputs) ? 1u : 0u;
  }
}
