// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass over intervals: one workgroup turns the totals of spans into what lies before them, and writes the total
// of all and the status.
//
// family: intervals
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH IntervalPush
#include "interval/interval_tiles.glsl"

shared uvec2 weft_outputs[kWorkgroupSize];
shared uint weft_extra[kWorkgroupSize];

void main() {
  const uint invocation = interval_invocation();
  const uint own_spans = (push.spans + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = invocation * own_spans;
  IntervalsBefore sum = IntervalsBefore(uvec2(0u), 0u);
  for (uint i = 0u; i < own_spans; ++i)
    if (first + i < push.spans) sum = intervals_before_add(sum, intervals_before_load(first + i));

  for (uint delta = 1u; delta < kWorkgroupSize; delta <<= 1) {
    weft_outputs[invocation] = sum.outputs;
    weft_extra[invocation] = sum.extra;
    barrier();
    if (invocation >= delta)
      sum =
          intervals_before_add(IntervalsBefore(weft_outputs[invocation - delta], weft_extra[invocation - delta]), sum);
    barrier();
  }
  weft_outputs[invocation] = sum.outputs;
  weft_extra[invocation] = sum.extra;
  barrier();
  IntervalsBefore before = IntervalsBefore(uvec2(0u), 0u);
  if (invocation != 0u) before = IntervalsBefore(weft_outputs[invocation - 1u], weft_extra[invocation - 1u]);

  for (uint i = 0u; i < own_spans; ++i) {
    if (first + i >= push.spans) break;
    const IntervalsBefore own = intervals_before_load(first + i);
    intervals_before_store(first + i, before);
    before = intervals_before_add(before, own);
  }
  if (invocation == kWorkgroupSize - 1u) {
    intervals_before_store(intervals_before_of_all(), sum);
    intervals_report(sum.outputs, kNoInterval);
  }
}
