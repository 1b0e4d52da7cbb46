// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What is combined, and how. The includer chooses the types by defining, before the include,
//   WEFT_ITEM         what a buffer holds: WEFT_U8 … WEFT_U32X2
//   WEFT_ACCUMULATOR  what results hold: the same, a wider one, WEFT_ARG for (item, index), WEFT_COUNTS for two counts
//                     at once, WEFT_RUNS for how many runs have begun and where the last one did, WEFT_OWN for the
//                     result of an operator of the user's own; then the item is WEFT_OWN too (own.glsl)
// and the operator by specialization constant 2, or as a constant with WEFT_OP. It gets
//   Accumulator       the type in registers: narrow integers widen to uint, f16 to float
//   identity(), combine(earlier, later)
//   subgroup_inclusive(), subgroup_reduce(): in lane order; the order of lanes is kept, so combine need not commute
//   word_of(v, i), accumulator_of_words(): an accumulator as WEFT_ACCUMULATOR_WORDS words, 1 to 8, in which it is
//   published, stored and shuffled. A struct (WEFT_ACCUMULATOR_IS_STRUCT) defines both, and nothing else accesses its
//   members.
// Narrow integers are combined modulo 2^32 and cut when they are stored, which is the same as wrapping at each step.
#ifndef WEFT_OPERATOR_GLSL
#define WEFT_OPERATOR_GLSL

#define WEFT_U8 1
#define WEFT_U16 2
#define WEFT_U32 3
#define WEFT_U64 4
#define WEFT_I32 5
#define WEFT_I64 6
#define WEFT_F16 7
#define WEFT_F32 8
#define WEFT_F64 9
#define WEFT_U32X2 10
#define WEFT_ARG 11
#define WEFT_COUNTS 12
#define WEFT_RUNS 13
// Items only, of primitives that look at them otherwise: single bits, and members of structs.
#define WEFT_BITS 14
#define WEFT_STRUCT 15
// The user's own, of a snippet (own.glsl).
#define WEFT_OWN 16

#ifndef WEFT_ITEM
#define WEFT_ITEM WEFT_U32
#endif
#ifndef WEFT_ACCUMULATOR
#define WEFT_ACCUMULATOR WEFT_ITEM
#endif

#define WEFT_IS_64BIT(T) (T == WEFT_U64 || T == WEFT_I64 || T == WEFT_F64)
#if WEFT_IS_64BIT(WEFT_ITEM) || WEFT_IS_64BIT(WEFT_ACCUMULATOR)
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#if WEFT_ITEM == WEFT_F64 || WEFT_ACCUMULATOR == WEFT_F64
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require
#endif
#endif

#include "weft/subgroup.glsl"
#include "weft/word64.glsl"

#if WEFT_ITEM == WEFT_OWN
#include "weft/own.glsl"
#endif

// The values of weft::Op.
const uint kOpAdd = 0, kOpMultiply = 1, kOpMin = 2, kOpMax = 3, kOpAnd = 4, kOpOr = 5, kOpXor = 6, kOpAffine = 7,
           kOpArgMin = 8, kOpArgMax = 9;
#ifdef WEFT_OP
const uint kOp = WEFT_OP;
#else
#include "weft/operator.h"
#endif

#if WEFT_ACCUMULATOR != WEFT_OWN
const bool kCommutes = kOp != kOpAffine;
#endif

// ---- Accumulator, its identity and its words ----

#if WEFT_ACCUMULATOR == WEFT_ARG

// The item as a key whose unsigned order is the item's order, and where it stood.
struct Accumulator {
  uvec2 key;
  uvec2 index;
};
#define WEFT_ACCUMULATOR_WORDS 4

#elif WEFT_ACCUMULATOR == WEFT_U8 || WEFT_ACCUMULATOR == WEFT_U16 || WEFT_ACCUMULATOR == WEFT_U32

#define Accumulator uint
#define WEFT_ACCUMULATOR_WORDS 1
uint word_of(uint v, uint i) { return v; }
uint accumulator_of(uvec2 words) { return words.x; }
#define WEFT_LOWEST 0u
#define WEFT_HIGHEST 0xffffffffu
#define WEFT_ALL_BITS 0xffffffffu

#elif WEFT_ACCUMULATOR == WEFT_I32

#define Accumulator int
#define WEFT_ACCUMULATOR_WORDS 1
uint word_of(int v, uint i) { return uint(v); }
int accumulator_of(uvec2 words) { return int(words.x); }
#define WEFT_LOWEST int(0x80000000)
#define WEFT_HIGHEST 0x7fffffff
#define WEFT_ALL_BITS -1

#elif WEFT_ACCUMULATOR == WEFT_F32 || WEFT_ACCUMULATOR == WEFT_F16

#define Accumulator float
#define WEFT_ACCUMULATOR_WORDS 1
#define WEFT_ACCUMULATOR_IS_FLOAT 1
uint word_of(float v, uint i) { return floatBitsToUint(v); }
float accumulator_of(uvec2 words) { return uintBitsToFloat(words.x); }
#define WEFT_LOWEST uintBitsToFloat(0xff800000u)
#define WEFT_HIGHEST uintBitsToFloat(0x7f800000u)

#elif WEFT_ACCUMULATOR == WEFT_U64

#define Accumulator uint64_t
#define WEFT_ACCUMULATOR_WORDS 2
uint word_of(uint64_t v, uint i) { return unpack32(v)[i]; }
uint64_t accumulator_of(uvec2 words) { return pack64(words); }
#define WEFT_LOWEST 0ul
#define WEFT_HIGHEST 0xfffffffffffffffful
#define WEFT_ALL_BITS 0xfffffffffffffffful

#elif WEFT_ACCUMULATOR == WEFT_I64

#define Accumulator int64_t
#define WEFT_ACCUMULATOR_WORDS 2
uint word_of(int64_t v, uint i) { return unpack32(uint64_t(v))[i]; }
int64_t accumulator_of(uvec2 words) { return int64_t(pack64(words)); }
#define WEFT_LOWEST int64_t(0x8000000000000000ul)
#define WEFT_HIGHEST 0x7fffffffffffffffl
#define WEFT_ALL_BITS -1l

#elif WEFT_ACCUMULATOR == WEFT_F64

#define Accumulator double
#define WEFT_ACCUMULATOR_WORDS 2
#define WEFT_ACCUMULATOR_IS_FLOAT 1
uint word_of(double v, uint i) { return unpackDouble2x32(v)[i]; }
double accumulator_of(uvec2 words) { return packDouble2x32(words); }
#define WEFT_LOWEST packDouble2x32(uvec2(0u, 0xfff00000u))
#define WEFT_HIGHEST packDouble2x32(uvec2(0u, 0x7ff00000u))

#elif WEFT_ACCUMULATOR == WEFT_U32X2 || WEFT_ACCUMULATOR == WEFT_COUNTS || WEFT_ACCUMULATOR == WEFT_RUNS

#define Accumulator uvec2
#define WEFT_ACCUMULATOR_WORDS 2
uint word_of(uvec2 v, uint i) { return v[i]; }
uvec2 accumulator_of(uvec2 words) { return words; }

#endif

#ifndef WEFT_ACCUMULATOR_IS_FLOAT
#define WEFT_ACCUMULATOR_IS_FLOAT 0
#endif
#ifndef WEFT_ACCUMULATOR_IS_STRUCT
#define WEFT_ACCUMULATOR_IS_STRUCT 0
#endif

#if WEFT_ACCUMULATOR != WEFT_ARG && !WEFT_ACCUMULATOR_IS_STRUCT
Accumulator accumulator_of_words(uint words[WEFT_ACCUMULATOR_WORDS]) {
  return accumulator_of(uvec2(words[0], words[WEFT_ACCUMULATOR_WORDS - 1]));
}
#endif

#if WEFT_ACCUMULATOR == WEFT_ARG

Accumulator identity() { return Accumulator(uvec2(kOp == kOpArgMin ? ~0u : 0u), uvec2(~0u)); }

// Where keys tie, the lower index wins; the identity, whose index is the highest, loses to every item.
Accumulator combine(Accumulator a, Accumulator b) {
  const bool before = kOp == kOpArgMin ? word64_less(b.key, a.key) : word64_less(a.key, b.key);
  return before || (a.key == b.key && word64_less(b.index, a.index)) ? b : a;
}

#elif WEFT_ACCUMULATOR == WEFT_U32X2

// (a, b) stands for x -> a*x + b.
uvec2 identity() { return uvec2(1u, 0u); }
uvec2 combine(uvec2 first, uvec2 then) { return uvec2(first.x * then.x, then.x * first.y + then.y); }

#elif WEFT_ACCUMULATOR == WEFT_COUNTS

uvec2 identity() { return uvec2(0u); }
uvec2 combine(uvec2 a, uvec2 b) { return a + b; }

#elif WEFT_ACCUMULATOR == WEFT_RUNS

// Positions ascend and begin at 1, so that the last one is the highest and 0 is none.
uvec2 identity() { return uvec2(0u); }
uvec2 combine(uvec2 a, uvec2 b) { return uvec2(a.x + b.x, max(a.y, b.y)); }

#elif WEFT_ACCUMULATOR != WEFT_OWN

// Selects, not switches: drivers that do not fold specialization constants first would keep the blocks, once per item.
Accumulator identity() {
  return kOp == kOpMultiply ? Accumulator(1)
         : kOp == kOpMin    ? Accumulator(WEFT_HIGHEST)
         : kOp == kOpMax    ? Accumulator(WEFT_LOWEST)
#ifdef WEFT_ALL_BITS
         : kOp == kOpAnd ? Accumulator(WEFT_ALL_BITS)
#endif
                         : Accumulator(0);
}

Accumulator combine(Accumulator a, Accumulator b) {
  return kOp == kOpMultiply ? a * b
         : kOp == kOpMin    ? min(a, b)
         : kOp == kOpMax    ? max(a, b)
#ifdef WEFT_ALL_BITS
         : kOp == kOpAnd ? a & b
         : kOp == kOpOr  ? a | b
         : kOp == kOpXor ? a ^ b
#endif
                         : a + b;
}

#endif

// ---- across the lanes of a subgroup ----

#if WEFT_ACCUMULATOR == WEFT_ARG

Accumulator subgroup_shuffle(Accumulator v, uint lane) {
  return Accumulator(subgroup_shuffle(v.key, lane), subgroup_shuffle(v.index, lane));
}
Accumulator subgroup_shuffle_up(Accumulator v, uint delta) {
  return Accumulator(subgroup_shuffle_up(v.key, delta), subgroup_shuffle_up(v.index, delta));
}

#elif WEFT_ACCUMULATOR_IS_STRUCT

Accumulator subgroup_shuffle(Accumulator v, uint lane) {
  uint words[WEFT_ACCUMULATOR_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i) words[i] = subgroup_shuffle(word_of(v, i), lane);
  return accumulator_of_words(words);
}
Accumulator subgroup_shuffle_up(Accumulator v, uint delta) {
  uint words[WEFT_ACCUMULATOR_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i) words[i] = subgroup_shuffle_up(word_of(v, i), delta);
  return accumulator_of_words(words);
}

#elif WEFT_IS_64BIT(WEFT_ACCUMULATOR)

Accumulator subgroup_shuffle(Accumulator v, uint lane) {
  return accumulator_of(subgroup_shuffle(uvec2(word_of(v, 0), word_of(v, 1)), lane));
}
Accumulator subgroup_shuffle_up(Accumulator v, uint delta) {
  return accumulator_of(subgroup_shuffle_up(uvec2(word_of(v, 0), word_of(v, 1)), delta));
}

#endif

#if WEFT_ACCUMULATOR == WEFT_COUNTS

uvec2 subgroup_inclusive(uvec2 v) { return uvec2(subgroup_inclusive_add(v.x), subgroup_inclusive_add(v.y)); }
uvec2 subgroup_reduce(uvec2 v) { return uvec2(subgroup_add(v.x), subgroup_add(v.y)); }

#elif WEFT_ACCUMULATOR == WEFT_RUNS

uvec2 subgroup_inclusive(uvec2 v) { return uvec2(subgroup_inclusive_add(v.x), subgroup_inclusive_max(v.y)); }
uvec2 subgroup_reduce(uvec2 v) { return uvec2(subgroup_add(v.x), subgroup_max(v.y)); }

#elif WEFT_ACCUMULATOR_WORDS == 1 && !WEFT_ACCUMULATOR_IS_STRUCT && WEFT_ACCUMULATOR != WEFT_OWN

// By shuffles where subgroup.glsl makes sums so: 8 to 10 % of a scan of f32, i32, or by min or xor.
#if !WEFT_SUBGROUP_EMULATED && !defined(WEFT_SUBGROUP_OWN_SUMS)
#define WEFT_SCANS_BY_SHUFFLES
Accumulator subgroup_with_earlier(Accumulator v, uint delta) {
  const Accumulator earlier = subgroup_shuffle_up(v, delta);
  if (subgroup_lane() >= delta) v = combine(earlier, v);
  return v;
}
#endif

Accumulator subgroup_inclusive(Accumulator v) {
#ifdef WEFT_SCANS_BY_SHUFFLES
  if (kSumsByShuffles && kSubgroupSize <= 32u) {
    v = subgroup_with_earlier(v, 1u);
    v = subgroup_with_earlier(v, 2u);
    v = subgroup_with_earlier(v, 4u);
    v = subgroup_with_earlier(v, 8u);
    return subgroup_with_earlier(v, 16u);
  }
#endif
  switch (kOp) {
    case kOpMultiply: return subgroup_inclusive_mul(v);
    case kOpMin: return subgroup_inclusive_min(v);
    case kOpMax: return subgroup_inclusive_max(v);
#ifdef WEFT_ALL_BITS
    case kOpAnd: return subgroup_inclusive_and(v);
    case kOpOr: return subgroup_inclusive_or(v);
    case kOpXor: return subgroup_inclusive_xor(v);
#endif
    default: return subgroup_inclusive_add(v);
  }
}

Accumulator subgroup_reduce(Accumulator v) {
  switch (kOp) {
    case kOpMultiply: return subgroup_mul(v);
    case kOpMin: return subgroup_min(v);
    case kOpMax: return subgroup_max(v);
#ifdef WEFT_ALL_BITS
    case kOpAnd: return subgroup_and(v);
    case kOpOr: return subgroup_or(v);
    case kOpXor: return subgroup_xor(v);
#endif
    default: return subgroup_add(v);
  }
}

#else

Accumulator subgroup_inclusive(Accumulator v) {
  [[unroll]] for (uint delta = 1u; delta < kSubgroupSize; delta <<= 1) {
    const Accumulator earlier = subgroup_shuffle_up(v, delta);
    if (subgroup_lane() >= delta) v = combine(earlier, v);
  }
  return v;
}

Accumulator subgroup_reduce(Accumulator v) { return subgroup_shuffle(subgroup_inclusive(v), kSubgroupSize - 1u); }

#endif

#endif
