// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every function of workgroup_scan.glsl, for tests/blocks/subgroup_test.cpp. Calls follow one another without a barrier
// between, as `slot` allows.
#version 460
#include "weft/workgroup_scan.glsl"
#include "self_test.glsl"

void main() {
#if WEFT_ACCUMULATOR_WORDS == 2
  const Accumulator own = Accumulator(input_word(kSelfTestValue), input_word(kSelfTestSelector));
#else
  const Accumulator own = input_word(kSelfTestValue);
#endif

  Accumulator aggregate;
  emit_result(workgroup_exclusive(own, 0u, aggregate));
  emit_result(aggregate);
  emit_result(workgroup_inclusive(own, 1u, aggregate));
  emit_result(aggregate);
  emit_result(workgroup_reduce(own, 0u));
  emit_result(workgroup_exclusive_of_subgroups(subgroup_reduce(own), 1u, aggregate));
  emit_result(aggregate);
}
