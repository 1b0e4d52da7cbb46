// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the self-test kernels share: inputs of this invocation's place, and results in the order in which they are
// emitted, which the host's oracle repeats.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

#include "self_test.h"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer SelfTestWords { uint at[]; };
layout(push_constant, scalar) uniform Push { SelfTestPush push; };

// Which of the kernel's groups of operations runs: one at a time keeps pipelines small. Constant 2 is the operator.
layout(constant_id = 3) const uint kPart = 0;

uint position() {
  return gl_WorkGroupID.x * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane();
}

uint input_word(uint word) { return SelfTestWords(push.inputs).at[position() * kSelfTestInputWords + word]; }

uint results_so_far = 0u;

void emit_result(uint value) {
  SelfTestWords(push.results).at[results_so_far * push.positions + position()] = value;
  ++results_so_far;
}
void emit_result(int value) { emit_result(uint(value)); }
void emit_result(float value) { emit_result(floatBitsToUint(value)); }
void emit_result(bool value) { emit_result(value ? 1u : 0u); }
void emit_result(uvec2 value) {
  emit_result(value.x);
  emit_result(value.y);
}
void emit_result(uvec4 value) {
  emit_result(value.xy);
  emit_result(value.zw);
}
