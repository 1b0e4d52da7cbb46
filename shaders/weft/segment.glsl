// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What is carried over a range that falls into segments: the aggregate of the items since the last head, and whether
// there has been a head, or how many there were. Combining such pairs is associative and never commutes.
//
// From here on the pair takes the accumulator's place: what is included after this file, workgroup_scan.glsl,
// partials.glsl and look_back.glsl, carries it. The operator's own type and identity are Value and value_identity().
//
// Specialization constant: 8 kCountsHeads.
#ifndef WEFT_SEGMENT_GLSL
#define WEFT_SEGMENT_GLSL

#include "weft/segment.h"
#include "weft/tile.glsl"

#ifdef WEFT_WORKGROUP_SCAN_GLSL
#error "weft/segment.glsl comes before weft/workgroup_scan.glsl and all that includes it"
#endif

#if WEFT_ACCUMULATOR == WEFT_OWN

// In a struct of weft's, since a snippet's type may itself be called Accumulator.
struct Value {
  Accumulator own;
};
Value value_identity() { return Value(identity()); }
Value value_of_item(ItemBits item) { return Value(accumulator_of_item(item)); }
Value value_of_bits(uvec2 bits) { return Value(accumulator_of_bits(bits)); }
Value held_value(uint held[WEFT_VECTOR_HELD_WORDS], uint k) { return Value(held_get(held, k)); }
void held_put(inout uint held[WEFT_VECTOR_HELD_WORDS], uint k, Value v) { held_put(held, k, v.own); }
void value_put(inout uint words[WEFT_VECTOR_OUTPUT_WORDS], uint k, Value v) { vector_put(words, k, v.own); }
Value combine(Value a, Value b) { return Value(combine(a.own, b.own)); }
uint word_of(Value v, uint i) { return word_of(v.own, i); }
Value subgroup_shuffle(Value v, uint lane) { return Value(subgroup_shuffle(v.own, lane)); }
Value subgroup_shuffle_up(Value v, uint delta) { return Value(subgroup_shuffle_up(v.own, delta)); }
Value subgroup_reduce(Value v) { return Value(subgroup_reduce(v.own)); }

#else

#if WEFT_ACCUMULATOR == WEFT_U8 || WEFT_ACCUMULATOR == WEFT_U16 || WEFT_ACCUMULATOR == WEFT_U32
#define Value uint
#elif WEFT_ACCUMULATOR == WEFT_I32
#define Value int
#elif WEFT_ACCUMULATOR == WEFT_F16 || WEFT_ACCUMULATOR == WEFT_F32
#define Value float
#elif WEFT_ACCUMULATOR == WEFT_U64
#define Value uint64_t
#elif WEFT_ACCUMULATOR == WEFT_I64
#define Value int64_t
#elif WEFT_ACCUMULATOR == WEFT_F64
#define Value double
#endif

Value value_identity() { return identity(); }
Value value_of_item(ItemBits item) { return accumulator_of_item(item); }
Value value_of_bits(uvec2 bits) { return accumulator_of_bits(bits); }
Value held_value(uint held[WEFT_VECTOR_HELD_WORDS], uint k) { return held_get(held, k); }
void value_put(inout uint words[WEFT_VECTOR_OUTPUT_WORDS], uint k, Value v) { vector_put(words, k, v); }

#endif

struct Segment {
  Value value;  // of the items since the last head, or of all
  uint heads;   // how many, or 1 for any
};

Segment segment_identity() { return Segment(value_identity(), 0u); }

Segment combine(Segment a, Segment b) {
  return Segment(b.heads != 0u ? b.value : combine(a.value, b.value),
                 kCountsHeads ? a.heads + b.heads : a.heads | b.heads);
}

#if WEFT_ACCUMULATOR == WEFT_OWN

#define WEFT_SEGMENT_WORDS (WEFT_OWN_RESULT_WORDS + 1)

uint word_of(Segment v, uint i) { return i == WEFT_SEGMENT_WORDS - 1 ? v.heads : word_of(v.value, i); }
Segment accumulator_of_words(uint words[WEFT_SEGMENT_WORDS]) {
  uint of_value[WEFT_OWN_RESULT_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_OWN_RESULT_WORDS; ++i) of_value[i] = words[i];
  return Segment(Value(accumulator_of_words(of_value)), words[WEFT_OWN_RESULT_WORDS]);
}

#else

#if WEFT_ACCUMULATOR_WORDS == 2
#define WEFT_SEGMENT_WORDS 3
#else
#define WEFT_SEGMENT_WORDS 2
#endif

uint word_of(Segment v, uint i) { return i == WEFT_SEGMENT_WORDS - 1 ? v.heads : word_of(v.value, i & 1u); }
Segment accumulator_of_words(uint words[WEFT_SEGMENT_WORDS]) {
  return Segment(accumulator_of(uvec2(words[0], words[WEFT_SEGMENT_WORDS - 2])), words[WEFT_SEGMENT_WORDS - 1]);
}

#endif

// ---- across the lanes of a subgroup ----

// Of one word step by step: some compilers never unroll a loop that holds subgroup operations. Of more words that took
// more registers than gfx1100 has.
Value subgroup_with_earlier(Value v, uint behind, uint delta) {
  if (delta >= kSubgroupSize) return v;
  const Value earlier = subgroup_shuffle_up(v, delta);
  if (behind >= delta) v = combine(earlier, v);
  return v;
}

// Each lane combined with those before it, back to the last with a head; `with_head` is the ballot of those.
Value subgroup_inclusive_of_segments(Value v, uvec4 with_head) {
  const uint lane = subgroup_lane();
  const uint behind = lane - ballot_run_start(with_head, lane);  // how many lanes
#if WEFT_SEGMENT_WORDS == 2
  v = subgroup_with_earlier(subgroup_with_earlier(v, behind, 1u), behind, 2u);
  v = subgroup_with_earlier(subgroup_with_earlier(v, behind, 4u), behind, 8u);
  v = subgroup_with_earlier(subgroup_with_earlier(v, behind, 16u), behind, 32u);
  v = subgroup_with_earlier(v, behind, 64u);
#else
  [[unroll]] for (uint delta = 1u; delta < kSubgroupSize; delta <<= 1) v = subgroup_with_earlier(v, behind, delta);
#endif
  return v;
}

Segment subgroup_shuffle(Segment v, uint lane) {
  return Segment(subgroup_shuffle(v.value, lane), subgroup_shuffle(v.heads, lane));
}
Segment subgroup_shuffle_up(Segment v, uint delta) {
  return Segment(subgroup_shuffle_up(v.value, delta), subgroup_shuffle_up(v.heads, delta));
}

Segment subgroup_inclusive(Segment v) {
  const uvec4 with_head = subgroup_ballot(v.heads != 0u);
  v.value = subgroup_inclusive_of_segments(v.value, with_head);
  if (kCountsHeads)
    v.heads = subgroup_inclusive_add(v.heads);
  else
    v.heads = ballot_highest_bit_through(with_head, subgroup_lane()) == 128u ? 0u : 1u;
  return v;
}

// The same of subgroups' totals (weft/workgroup_scan.glsl), up to the lane before kTotalsEnd. Of up to eight, with
// values of a word and heads that are counted, pairs in three steps take less time than ballots.
const bool kFewTotals =
    WEFT_SEGMENT_WORDS == 2 ? kCountsHeads ? kSubgroupCount <= 8u ? kSubgroupSize >= 8u : false : false : false;
const uint kTotalsEnd = kFewTotals ? kSubgroupCount : kSubgroupSize;
Segment segment_with_earlier(Segment v, uint delta) {
  const Segment earlier = subgroup_shuffle_up(v, delta);
  if (subgroup_lane() >= delta) v = combine(earlier, v);
  return v;
}
Segment subgroup_inclusive_of_totals(Segment v) {
  if (!kFewTotals) return subgroup_inclusive(v);
  return segment_with_earlier(segment_with_earlier(segment_with_earlier(v, 1u), 2u), 4u);
}

// Only lanes from the last head on count, and those in the order of the operator's own reduction.
Segment subgroup_reduce(Segment v) {
  const uvec4 with_head = subgroup_ballot(v.heads != 0u);
  const uint last = ballot_highest_bit(with_head);
  const bool counts = last == 128u || subgroup_lane() >= last;
  v.value = subgroup_reduce(counts ? v.value : value_identity());
  if (kCountsHeads)
    v.heads = subgroup_add(v.heads);
  else
    v.heads = last == 128u ? 0u : 1u;
  return v;
}

// ---- from here on ----

const bool kValuesCommute = kCommutes;

#undef Accumulator
#define Accumulator Segment
#undef WEFT_ACCUMULATOR_WORDS
#define WEFT_ACCUMULATOR_WORDS WEFT_SEGMENT_WORDS
#undef WEFT_ACCUMULATOR_IS_STRUCT
#define WEFT_ACCUMULATOR_IS_STRUCT 1
#define identity segment_identity
#define kCommutes false

#endif
