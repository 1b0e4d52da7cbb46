// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every function of workgroup_add.glsl, for tests/blocks/subgroup_test.cpp. Calls follow one another without a barrier
// between, as `slot` allows.
#version 460
#include "weft/workgroup_add.glsl"
#include "self_test.glsl"

void main() {
  const uint own = input_word(kSelfTestValue);
  const uint other = input_word(kSelfTestSelector);
  uint total;
  uvec2 totals;
  emit_result(workgroup_inclusive_add(own, 0u, total));
  emit_result(total);
  emit_result(workgroup_inclusive_add(uvec2(other, own), 1u, totals));
  emit_result(totals);
  emit_result(workgroup_inclusive_add(other, 0u, total));
  emit_result(total);
}
