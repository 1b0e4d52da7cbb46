// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every operation of subgroup.glsl, for tests/blocks/subgroup_test.cpp.
#version 460
#include "weft/subgroup.glsl"
#include "self_test.glsl"

#define EMIT_ARITHMETIC(V)                \
  emit_result(subgroup_inclusive_add(V)); \
  emit_result(subgroup_inclusive_min(V)); \
  emit_result(subgroup_inclusive_max(V)); \
  emit_result(subgroup_add(V));           \
  emit_result(subgroup_min(V));           \
  emit_result(subgroup_max(V));
#define EMIT_PRODUCTS(V)                  \
  emit_result(subgroup_inclusive_mul(V)); \
  emit_result(subgroup_mul(V));
#define EMIT_BITWISE(V)                   \
  emit_result(subgroup_inclusive_and(V)); \
  emit_result(subgroup_inclusive_or(V));  \
  emit_result(subgroup_inclusive_xor(V)); \
  emit_result(subgroup_and(V));           \
  emit_result(subgroup_or(V));            \
  emit_result(subgroup_xor(V));

void main() {
  const uint value = input_word(kSelfTestValue);
  const uint selector = input_word(kSelfTestSelector);
  const bool predicate = (input_word(kSelfTestFlags) & 1u) != 0u;
  const bool taking_part = (input_word(kSelfTestFlags) & 2u) != 0u;
  const float summand = uintBitsToFloat(input_word(kSelfTestSummand));
  const float factor = uintBitsToFloat(input_word(kSelfTestFactor));

  switch (kPart) {
    case 0: {  // places, ballots, votes
      emit_result(subgroup_lane());
      emit_result(subgroup_index());
      const uvec4 ballot = subgroup_ballot(predicate);
      emit_result(ballot);
      emit_result(ballot_bit_count(ballot));
      emit_result(ballot_bit(ballot, selector));
      emit_result(ballot_mask_before(selector));
      emit_result(ballot_mask_before(128u));
      emit_result(ballot_exclusive_bit_count(ballot, selector));
      emit_result(ballot_lowest_bit(ballot));
      emit_result(ballot_highest_bit(ballot));
      emit_result(ballot_run_start(ballot, subgroup_lane()));
      emit_result(subgroup_rank(ballot));
      emit_result(subgroup_is_last(ballot));
      emit_result(subgroup_any(predicate));
      emit_result(subgroup_all(predicate));
      break;
    }
    case 1: {  // shuffles
      emit_result(subgroup_shuffle(value, selector));
      emit_result(subgroup_shuffle_up(value, push.delta));
      emit_result(subgroup_shuffle_down(value, push.delta));
      emit_result(subgroup_shuffle_xor(value, push.mask));
      emit_result(subgroup_broadcast(value, push.lane));
      emit_result(subgroup_shuffle(int(value), selector));
      emit_result(subgroup_shuffle_up(int(value), push.delta));
      emit_result(subgroup_shuffle(summand, selector));
      emit_result(subgroup_shuffle_up(summand, push.delta));
      emit_result(subgroup_shuffle(uvec2(value, selector), selector));
      emit_result(subgroup_shuffle_up(uvec2(value, selector), push.delta));
      break;
    }
    case 2: {
      EMIT_ARITHMETIC(value)
      EMIT_PRODUCTS(value)
      EMIT_BITWISE(value)
      emit_result(subgroup_exclusive_add(value));
      break;
    }
    case 3: {
      EMIT_ARITHMETIC(int(value))
      EMIT_PRODUCTS(int(value))
      EMIT_BITWISE(int(value))
      break;
    }
    case 4: {
      EMIT_ARITHMETIC(summand)
      EMIT_PRODUCTS(factor)
      break;
    }
    case 5: {  // divergent masks
      emit_result(subgroup_ballot_where(taking_part, predicate));
      emit_result(subgroup_any_where(taking_part, predicate));
      emit_result(subgroup_all_where(taking_part, predicate));
      emit_result(subgroup_add_where(taking_part, value));
      emit_result(subgroup_exclusive_add_where(taking_part, value));
      // All lanes are together again after a divergent operation.
      emit_result(subgroup_ballot(predicate));
      break;
    }
  }
}
