// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every function of load_balance.glsl, for tests/blocks/subgroup_test.cpp. Lanes that take part have outputs.
#version 460
#define WEFT_LOAD_BALANCE_OUTPUTS 96
#include "weft/load_balance.glsl"
#include "self_test.glsl"

// All outputs of a workgroup, a sum of what is found of each on the lane that looks at it.
void emit_balance(uint count) {
  LoadBalance balance = workgroup_balance(count);
  uint sum = 0u;
  for (uint first = 0u; first < balance.total; first += WEFT_LOAD_BALANCE_OUTPUTS) {
    workgroup_balance_outputs(balance, first);
    const uint end = min(balance.total, first + WEFT_LOAD_BALANCE_OUTPUTS);
    for (uint i = first + lanes_position(); i < end; i += kWorkgroupSize) {
      uint rank;
      const uint source = workgroup_balance_source(balance, i, rank);
      sum += (source + 1u) * (2u * i + 1u) + rank * 65537u;
    }
  }
  emit_result(balance.total);
  emit_result(balance.begin);
  emit_result(sum);
}

void main() {
  const bool taking_part = (input_word(kSelfTestFlags) & 2u) != 0u;
  const uint count = taking_part ? 1u + input_word(kSelfTestValue) % (1u + push.mask) : 0u;

  switch (kPart) {
    case 0: {
      const uint begin = lanes_exclusive_add(count);
      uint rank;
      for (uint first = 0u; first < 128u; first += 32u) {
        emit_result(lanes_balance(begin, first + lanes_lane(), rank));
        emit_result(rank);
      }
      // Each lane another, in no order.
      emit_result(lanes_balance(begin, input_word(kSelfTestSelector) * push.delta, rank));
      emit_result(rank);
      break;
    }
    case 1: {
      emit_balance(count);
      emit_balance((input_word(kSelfTestFlags) & 1u) != 0u ? 3u : 0u);
      break;
    }
  }
}
