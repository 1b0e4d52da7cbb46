// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every operation of lanes.glsl, for tests/blocks/subgroup_test.cpp.
#version 460
#include "weft/lanes.glsl"
#include "self_test.glsl"

void main() {
  const uint value = input_word(kSelfTestValue);
  const uint selector = input_word(kSelfTestSelector);
  const bool predicate = (input_word(kSelfTestFlags) & 1u) != 0u;
  const bool taking_part = (input_word(kSelfTestFlags) & 2u) != 0u;

  switch (kPart) {
    case 0: {  // places, ballots, votes, shuffles
      emit_result(lanes_lane());
      emit_result(lanes_group());
      emit_result(lanes_group_count());
      emit_result(lanes_mask_before());
      emit_result(lanes_ballot(predicate));
      emit_result(lanes_any(predicate));
      emit_result(lanes_all(predicate));
      emit_result(lanes_shuffle(value, selector));
      emit_result(lanes_shuffle(value, selector + 32u * (value & 7u)));
      emit_result(lanes_shuffle_up(value, push.delta));
      emit_result(lanes_shuffle_down(value, push.delta));
      emit_result(lanes_shuffle_xor(value, push.mask));
      emit_result(lanes_broadcast(value, push.lane));
      // A lane that is uniform in the group only.
      emit_result(lanes_broadcast(value, (push.lane + lanes_group()) & 31u));
      break;
    }
    case 1: {
      emit_result(lanes_add(value));
      emit_result(lanes_min(value));
      emit_result(lanes_max(value));
      emit_result(lanes_inclusive_add(value));
      emit_result(lanes_exclusive_add(value));
      break;
    }
    case 2: {  // divergent masks
      emit_result(lanes_ballot_where(taking_part, predicate));
      emit_result(lanes_any_where(taking_part, predicate));
      emit_result(lanes_all_where(taking_part, predicate));
      emit_result(lanes_add_where(taking_part, value));
      emit_result(lanes_inclusive_add_where(taking_part, value));
      emit_result(lanes_exclusive_add_where(taking_part, value));
      emit_result(lanes_min_where(taking_part, value));
      emit_result(lanes_max_where(taking_part, value));
      emit_result(lanes_ballot(predicate));
      break;
    }
  }
}
