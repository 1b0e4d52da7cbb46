// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The user's own item type, with an operator, a predicate or an equality of keys, from a snippet that is served as
// weft/own_snippet.glsl. docs/own-kernels.md is the manual of snippets; in short, one declares
//   Item          uint, int or float (#define Item uint), or a struct of 1 to 4 such members: WEFT_ITEM_MEMBERS lists
//                 them, WEFT_DECLARE_ITEM stands where the struct is to be
// and for scan, scan_by_key, reduce, reduce_by_key and segmented_reduce
//   Accumulator   likewise, of 1 to 8 members (WEFT_ACCUMULATOR_MEMBERS, WEFT_DECLARE_ACCUMULATOR), with
//                 accumulator_of(Item); left out, it is the Item
//   identity(), combine(earlier, later)
//   WEFT_COMMUTES where combine() does
// for select, keep(Item); for partition in three, partition_index(Item); for unique and run_length_encode
// (WEFT_OWN_UNIQUE), same(earlier, later). The lists make structs and words out of one another, so that a member cannot
// be forgotten in one of the ways.
//
// Where the accumulator is not the snippet's, WEFT_ITEM becomes what items of that size are handled as: WEFT_U32,
// WEFT_U32X2, or WEFT_STRUCT.
#ifndef WEFT_OWN_GLSL
#define WEFT_OWN_GLSL

#define WEFT_OWN_SNIPPET 1

#define WEFT_OWN_MEMBER(type, name) type name;
#define WEFT_DECLARE_ITEM struct Item { WEFT_ITEM_MEMBERS(WEFT_OWN_MEMBER) };
#define WEFT_DECLARE_ACCUMULATOR struct Accumulator { WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_MEMBER) };

#if WEFT_ACCUMULATOR != WEFT_OWN
// The constants of a call, for its keep(), partition_index() or same(): the bits of SelectArgs::a and b, or of
// those of the other primitives.
uvec2 call_a();
uvec2 call_b();
#endif

#include "weft/own_snippet.glsl"

// ---- how many words ----

#define WEFT_OWN_COUNT(type, name) + 1

#ifndef WEFT_ITEM_MEMBERS
#define WEFT_ITEM_WORDS 1
#elif (0 WEFT_ITEM_MEMBERS(WEFT_OWN_COUNT)) == 1
#define WEFT_ITEM_WORDS 1
#elif (0 WEFT_ITEM_MEMBERS(WEFT_OWN_COUNT)) == 2
#define WEFT_ITEM_WORDS 2
#elif (0 WEFT_ITEM_MEMBERS(WEFT_OWN_COUNT)) == 3
#define WEFT_ITEM_WORDS 3
#elif (0 WEFT_ITEM_MEMBERS(WEFT_OWN_COUNT)) == 4
#define WEFT_ITEM_WORDS 4
#else
#error WEFT_ITEM_MEMBERS lists 1 to 4 members
#endif

#if WEFT_ACCUMULATOR != WEFT_OWN
#undef WEFT_ITEM
#if WEFT_ITEM_WORDS == 1
#define WEFT_ITEM WEFT_U32
#elif WEFT_ITEM_WORDS == 2
#define WEFT_ITEM WEFT_U32X2
#else
#define WEFT_ITEM WEFT_STRUCT
#endif
#elif defined(WEFT_ACCUMULATOR_MEMBERS)
#define WEFT_ACCUMULATOR_IS_STRUCT 1
#if (0 WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_COUNT)) == 1
#define WEFT_OWN_RESULT_WORDS 1
#elif (0 WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_COUNT)) == 2
#define WEFT_OWN_RESULT_WORDS 2
#elif (0 WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_COUNT)) == 3
#define WEFT_OWN_RESULT_WORDS 3
#elif (0 WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_COUNT)) == 4
#define WEFT_OWN_RESULT_WORDS 4
#elif (0 WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_COUNT)) == 5
#define WEFT_OWN_RESULT_WORDS 5
#elif (0 WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_COUNT)) == 6
#define WEFT_OWN_RESULT_WORDS 6
#elif (0 WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_COUNT)) == 7
#define WEFT_OWN_RESULT_WORDS 7
#elif (0 WEFT_ACCUMULATOR_MEMBERS(WEFT_OWN_COUNT)) == 8
#define WEFT_OWN_RESULT_WORDS 8
#else
#error WEFT_ACCUMULATOR_MEMBERS lists 1 to 8 members
#endif
#elif defined(Accumulator)
#define WEFT_OWN_RESULT_WORDS 1
#else
#define WEFT_ACCUMULATOR_IS_ITEM 1
#define WEFT_OWN_RESULT_WORDS WEFT_ITEM_WORDS
#ifdef WEFT_ITEM_MEMBERS
#define WEFT_ACCUMULATOR_IS_STRUCT 1
#endif
#define Accumulator Item
#endif
// Under a name of its own too, since weft/segment.glsl puts another in the accumulator's place.
#ifdef WEFT_OWN_RESULT_WORDS
#define WEFT_ACCUMULATOR_WORDS WEFT_OWN_RESULT_WORDS
#endif

// The host reads these from the code, to find what a set of kernels works on (src/runtime/kernel_set.cpp).
layout(constant_id = 100) const uint kOwnItemWords = WEFT_ITEM_WORDS;
#if WEFT_ACCUMULATOR == WEFT_OWN
layout(constant_id = 101) const uint kOwnAccumulatorWords = WEFT_ACCUMULATOR_WORDS;
#endif

// ---- structs and words ----

uint own_word(uint v) { return v; }
uint own_word(int v) { return uint(v); }
uint own_word(float v) { return floatBitsToUint(v); }
void own_take(uint word, out uint v) { v = word; }
void own_take(uint word, out int v) { v = int(word); }
void own_take(uint word, out float v) { v = uintBitsToFloat(word); }

// `at` counts the members; where i is a constant, so is all of this.
#define WEFT_OWN_WORD(type, name) \
  if (i == at) word = own_word(v.name); \
  ++at;
#define WEFT_OWN_TAKE(type, name) \
  own_take(words[at], v.name); \
  ++at;

#ifdef WEFT_ITEM_MEMBERS
Item own_item(uint words[WEFT_ITEM_WORDS]) {
  Item v;
  uint at = 0u;
  WEFT_ITEM_MEMBERS(WEFT_OWN_TAKE)
  return v;
}
#else
Item own_item(uint words[1]) {
  Item v;
  own_take(words[0], v);
  return v;
}
#endif

#if WEFT_ACCUMULATOR == WEFT_OWN

#ifdef WEFT_ACCUMULATOR_MEMBERS
#define WEFT_OWN_ACCUMULATOR_MEMBERS WEFT_ACCUMULATOR_MEMBERS
#elif defined(WEFT_ACCUMULATOR_IS_ITEM) && defined(WEFT_ITEM_MEMBERS)
#define WEFT_OWN_ACCUMULATOR_MEMBERS WEFT_ITEM_MEMBERS
#endif

#ifdef WEFT_OWN_ACCUMULATOR_MEMBERS
uint word_of(Accumulator v, uint i) {
  uint word = 0u;
  uint at = 0u;
  WEFT_OWN_ACCUMULATOR_MEMBERS(WEFT_OWN_WORD)
  return word;
}
Accumulator accumulator_of_words(uint words[WEFT_ACCUMULATOR_WORDS]) {
  Accumulator v;
  uint at = 0u;
  WEFT_OWN_ACCUMULATOR_MEMBERS(WEFT_OWN_TAKE)
  return v;
}
#else
uint word_of(Accumulator v, uint i) { return own_word(v); }
Accumulator accumulator_of(uvec2 words) {
  Accumulator v;
  own_take(words.x, v);
  return v;
}
#endif

#ifdef WEFT_COMMUTES
const bool kCommutes = true;
#else
const bool kCommutes = false;
#endif

#endif
#endif
