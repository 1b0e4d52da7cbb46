// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Items as they lie in memory, inside vectors of 32-bit words: extracting one, putting one, combining a vector of them.
// Chosen by WEFT_ITEM and WEFT_ACCUMULATOR (operator.glsl). No 8- or 16-bit storage is asked of the device. Nothing
// here crosses lanes.
#ifndef WEFT_ITEM_GLSL
#define WEFT_ITEM_GLSL

#include "weft/operator.glsl"

#if WEFT_ITEM == WEFT_U8
#define WEFT_ITEM_BYTES 1
#elif WEFT_ITEM == WEFT_U16 || WEFT_ITEM == WEFT_F16
#define WEFT_ITEM_BYTES 2
#elif WEFT_ITEM == WEFT_U32 || WEFT_ITEM == WEFT_I32 || WEFT_ITEM == WEFT_F32
#define WEFT_ITEM_BYTES 4
#elif WEFT_ITEM == WEFT_OWN
#define WEFT_ITEM_BYTES (4 * WEFT_ITEM_WORDS)
#else
#define WEFT_ITEM_BYTES 8
#endif

// Results of arg_min and arg_max are not stored as vectors; only the item sets their shape.
#if WEFT_ACCUMULATOR == WEFT_U8
#define WEFT_OUTPUT_BYTES 1
#elif WEFT_ACCUMULATOR == WEFT_U16 || WEFT_ACCUMULATOR == WEFT_F16
#define WEFT_OUTPUT_BYTES 2
#elif WEFT_ACCUMULATOR == WEFT_U32 || WEFT_ACCUMULATOR == WEFT_I32 || WEFT_ACCUMULATOR == WEFT_F32
#define WEFT_OUTPUT_BYTES 4
#elif WEFT_ACCUMULATOR == WEFT_ARG
#define WEFT_OUTPUT_BYTES WEFT_ITEM_BYTES
#elif WEFT_ACCUMULATOR == WEFT_OWN
#define WEFT_OUTPUT_BYTES (4 * WEFT_OWN_RESULT_WORDS)
#else
#define WEFT_OUTPUT_BYTES 8
#endif

// Where nothing is stored per item (WEFT_VECTOR_BY_ITEM, set by reductions), the item alone sets the vector's length.
// Where a second range runs beside the items, the includer sets it: WEFT_VECTOR_ITEMS 4. Items that do not fill 16
// bytes are vectors by themselves, and so are those with such outputs.
#define WEFT_FILLS_VECTOR(BYTES) (BYTES == 1 || BYTES == 2 || BYTES == 4 || BYTES == 8 || BYTES == 16)
#if defined(WEFT_VECTOR_ITEMS)
#elif !WEFT_FILLS_VECTOR(WEFT_ITEM_BYTES) || (!WEFT_FILLS_VECTOR(WEFT_OUTPUT_BYTES) && !defined(WEFT_VECTOR_BY_ITEM))
#define WEFT_VECTOR_ITEMS 1
#elif WEFT_OUTPUT_BYTES > WEFT_ITEM_BYTES && !defined(WEFT_VECTOR_BY_ITEM)
#define WEFT_VECTOR_ITEMS (16 / WEFT_OUTPUT_BYTES)
#else
#define WEFT_VECTOR_ITEMS (16 / WEFT_ITEM_BYTES)
#endif
#define WEFT_VECTOR_INPUT_WORDS (WEFT_VECTOR_ITEMS * WEFT_ITEM_BYTES / 4)
#define WEFT_VECTOR_OUTPUT_WORDS (WEFT_VECTOR_ITEMS * WEFT_OUTPUT_BYTES / 4)

// ---- binary16, in integer arithmetic: rounding and subnormals of the packing built-ins are the device's own ----

float float_of_half(uint bits) {
  const uint sign = (bits & 0x8000u) << 16;
  const uint exponent = (bits >> 10) & 31u;
  const uint fraction = bits & 1023u;
  if (exponent == 0u) {
    const float magnitude = float(fraction) * uintBitsToFloat(0x33800000u);  // 2^-24
    return uintBitsToFloat(sign | floatBitsToUint(magnitude));
  }
  const uint widened = exponent == 31u ? 255u : exponent + 112u;
  return uintBitsToFloat(sign | (widened << 23) | (fraction << 13));
}

// Rounds to nearest, ties to even.
uint half_of_float(float value) {
  const uint bits = floatBitsToUint(value);
  const uint sign = (bits >> 16) & 0x8000u;
  const uint magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;   // NaN
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and above round to infinity
  if (magnitude >= 0x38800000u) {                        // at least 2^-14: normal
    const uint rebiased = magnitude - 0x38000000u;
    return sign | ((rebiased + 0xfffu + ((rebiased >> 13) & 1u)) >> 13);
  }
  if (magnitude <= 0x33000000u) return sign;  // at most half of the least subnormal
  const uint exponent = magnitude >> 23;
  const uint fraction = (magnitude & 0x7fffffu) | 0x800000u;
  const uint shift = 126u - exponent;  // 14 to 24
  const uint kept = fraction >> shift;
  const uint rest = fraction & ((1u << shift) - 1u);
  const uint middle = 1u << (shift - 1u);
  return sign | (kept + (rest > middle || (rest == middle && (kept & 1u) != 0u) ? 1u : 0u));
}

// ---- one item ----

#if WEFT_ITEM == WEFT_OWN

// Item k of a vector.
#define ItemBits Item
ItemBits vector_bits(uint words[WEFT_VECTOR_INPUT_WORDS], uint k) {
  uint item[WEFT_ITEM_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ITEM_WORDS; ++i) item[i] = words[k * WEFT_ITEM_WORDS + i];
  return own_item(item);
}

#else

// The bits of item k of a vector, zero above.
#define ItemBits uvec2
ItemBits vector_bits(uint words[WEFT_VECTOR_INPUT_WORDS], uint k) {
#if WEFT_ITEM_BYTES == 8
  return uvec2(words[2u * k], words[2u * k + 1u]);
#elif WEFT_ITEM_BYTES == 4
  return uvec2(words[k], 0u);
#elif WEFT_ITEM_BYTES == 2
  return uvec2((words[k >> 1] >> (16u * (k & 1u))) & 0xffffu, 0u);
#else
  return uvec2((words[k >> 2] >> (8u * (k & 3u))) & 0xffu, 0u);
#endif
}

#endif

#if WEFT_ACCUMULATOR == WEFT_OWN

#ifdef WEFT_ACCUMULATOR_IS_ITEM
Accumulator accumulator_of_item(Item item) { return item; }
#else
Accumulator accumulator_of_item(Item item) { return accumulator_of(item); }
#endif

// The host gives no initial value but the identity, and does not have its bits.
Accumulator accumulator_of_bits(uvec2 bits) { return identity(); }

void vector_put(inout uint words[WEFT_VECTOR_OUTPUT_WORDS], uint k, Accumulator v) {
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i) words[k * WEFT_ACCUMULATOR_WORDS + i] = word_of(v, i);
}

#elif WEFT_ACCUMULATOR != WEFT_ARG

Accumulator accumulator_of_item(uvec2 bits) {
#if WEFT_ITEM == WEFT_F16
  return float_of_half(bits.x);
#elif WEFT_ITEM == WEFT_F32 && WEFT_ACCUMULATOR == WEFT_F64
  return double(uintBitsToFloat(bits.x));
#elif WEFT_ITEM == WEFT_I32 && WEFT_ACCUMULATOR == WEFT_I64
  return int64_t(int(bits.x));
#else
  return accumulator_of(bits);
#endif
}

// The bits an accumulator is stored as, zero above.
uvec2 bits_of_accumulator(Accumulator v) {
#if WEFT_ACCUMULATOR == WEFT_F16
  return uvec2(half_of_float(v), 0u);
#elif WEFT_ACCUMULATOR == WEFT_U8
  return uvec2(v & 0xffu, 0u);
#elif WEFT_ACCUMULATOR == WEFT_U16
  return uvec2(v & 0xffffu, 0u);
#elif WEFT_ACCUMULATOR_WORDS == 2
  return uvec2(word_of(v, 0), word_of(v, 1));
#else
  return uvec2(word_of(v, 0), 0u);
#endif
}

// The accumulator that stored bits stand for: an initial value.
Accumulator accumulator_of_bits(uvec2 bits) {
#if WEFT_ACCUMULATOR == WEFT_F16
  return float_of_half(bits.x);
#else
  return accumulator_of(bits);
#endif
}

void vector_put(inout uint words[WEFT_VECTOR_OUTPUT_WORDS], uint k, Accumulator v) {
  const uvec2 bits = bits_of_accumulator(v);
#if WEFT_OUTPUT_BYTES == 8
  words[2u * k] = bits.x;
  words[2u * k + 1u] = bits.y;
#elif WEFT_OUTPUT_BYTES == 4
  words[k] = bits.x;
#elif WEFT_OUTPUT_BYTES == 2
  words[k >> 1] = (k & 1u) == 0u ? bits.x : words[k >> 1] | (bits.x << 16);
#else
  words[k >> 2] = (k & 3u) == 0u ? bits.x : words[k >> 2] | (bits.x << (8u * (k & 3u)));
#endif
}

#endif

#if WEFT_ACCUMULATOR != WEFT_ARG

// ---- a vector's aggregate ----

// Whether all items of a word can be combined at once, each in its own bits: u8 and u16 into themselves, by operators
// that carry nothing downwards. (Sums carry upwards; packed_add keeps that apart.)
#if (WEFT_ITEM == WEFT_U8 && WEFT_ACCUMULATOR == WEFT_U8) || (WEFT_ITEM == WEFT_U16 && WEFT_ACCUMULATOR == WEFT_U16)
#define WEFT_PACKED 1
const bool kPacked = kOp == kOpAdd || kOp == kOpAnd || kOp == kOpOr || kOp == kOpXor;
#if WEFT_ITEM == WEFT_U8
const uint kPackedHighBits = 0x80808080u;
const uint kPackedOnes = 0x01010101u;
#else
const uint kPackedHighBits = 0x80008000u;
const uint kPackedOnes = 0x00010001u;
#endif
const uint kItemBits = 8u * WEFT_ITEM_BYTES;

uint packed_combine(uint a, uint b) {
  return kOp == kOpAnd   ? a & b
         : kOp == kOpOr  ? a | b
         : kOp == kOpXor ? a ^ b
                         : ((a & ~kPackedHighBits) + (b & ~kPackedHighBits)) ^ ((a ^ b) & kPackedHighBits);
}

uint packed_identity() { return kOp == kOpAnd ? ~0u : 0u; }

// Each item of a word combined with those below it.
uint packed_inclusive(uint word) {
  [[unroll]] for (uint shift = kItemBits; shift < 32u; shift <<= 1)
    word = packed_combine(word, (word << shift) | (packed_identity() & ((1u << shift) - 1u)));
  return word;
}

uint packed_broadcast(uint item) { return (item & ((1u << kItemBits) - 1u)) * kPackedOnes; }

#else
#define WEFT_PACKED 0
#endif

// The aggregate of a whole vector.
Accumulator vector_total(uint words[WEFT_VECTOR_INPUT_WORDS]) {
#if WEFT_PACKED
  if (kPacked) {
    uint total = words[0];
    [[unroll]] for (uint i = 1; i < WEFT_VECTOR_INPUT_WORDS; ++i) total = packed_combine(total, words[i]);
    return packed_inclusive(total) >> (32u - kItemBits);
  }
#elif WEFT_ITEM == WEFT_U8 && WEFT_ACCUMULATOR_WORDS == 1
  if (kOp == kOpAdd) {
    // Even and odd bytes as pairs of 16-bit sums: a vector's bytes cannot overflow them.
    uint pairs = 0u;
    [[unroll]] for (uint i = 0; i < WEFT_VECTOR_INPUT_WORDS; ++i)
      pairs += (words[i] & 0x00ff00ffu) + ((words[i] >> 8) & 0x00ff00ffu);
    return (pairs & 0xffffu) + (pairs >> 16);
  }
#endif
  Accumulator total = accumulator_of_item(vector_bits(words, 0u));
  [[unroll]] for (uint k = 1; k < WEFT_VECTOR_ITEMS; ++k)
    total = combine(total, accumulator_of_item(vector_bits(words, k)));
  return total;
}

// The aggregate of the items [begin, end) of a vector.
Accumulator vector_total_where(uint words[WEFT_VECTOR_INPUT_WORDS], uint begin, uint end) {
  Accumulator total = identity();
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k)
    if (k >= begin && k < end) total = combine(total, accumulator_of_item(vector_bits(words, k)));
  return total;
}

// ---- a vector's scan, held until the prefix of all before it is known ----

// Held accumulators take the form of outputs, except where that would round twice: f16 is held as f32.
#if WEFT_ACCUMULATOR == WEFT_F16
#define WEFT_VECTOR_HELD_WORDS WEFT_VECTOR_ITEMS

void held_put(inout uint held[WEFT_VECTOR_HELD_WORDS], uint k, Accumulator v) { held[k] = floatBitsToUint(v); }
Accumulator held_get(uint held[WEFT_VECTOR_HELD_WORDS], uint k) { return uintBitsToFloat(held[k]); }

#else
#define WEFT_VECTOR_HELD_WORDS WEFT_VECTOR_OUTPUT_WORDS

void held_put(inout uint held[WEFT_VECTOR_HELD_WORDS], uint k, Accumulator v) { vector_put(held, k, v); }

Accumulator held_get(uint held[WEFT_VECTOR_HELD_WORDS], uint k) {
#if WEFT_ACCUMULATOR == WEFT_OWN
  uint words[WEFT_ACCUMULATOR_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i) words[i] = held[k * WEFT_ACCUMULATOR_WORDS + i];
  return accumulator_of_words(words);
#elif WEFT_OUTPUT_BYTES == 8
  return accumulator_of(uvec2(held[2u * k], held[2u * k + 1u]));
#elif WEFT_OUTPUT_BYTES == 4
  return accumulator_of(uvec2(held[k], 0u));
#elif WEFT_OUTPUT_BYTES == 2
  return (held[k >> 1] >> (16u * (k & 1u))) & 0xffffu;
#else
  return (held[k >> 2] >> (8u * (k & 3u))) & 0xffu;
#endif
}

#endif

// Scans a vector from `before`, the aggregate of what precedes it. Items outside [begin, end) are passed over.
void vector_scan(uint words[WEFT_VECTOR_INPUT_WORDS], Accumulator before, bool inclusive, bool whole, uint begin,
                 uint end, out uint held[WEFT_VECTOR_HELD_WORDS]) {
#if WEFT_PACKED
  if (kPacked && whole) {
    uint carry = packed_broadcast(before);
    [[unroll]] for (uint i = 0; i < WEFT_VECTOR_INPUT_WORDS; ++i) {
      const uint own = packed_inclusive(words[i]);
      const uint shifted = (own << kItemBits) | (packed_identity() & ((1u << kItemBits) - 1u));
      held[i] = packed_combine(carry, inclusive ? own : shifted);
      carry = packed_combine(carry, packed_broadcast(own >> (32u - kItemBits)));
    }
    return;
  }
#endif
  Accumulator running = before;
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
    Accumulator next = running;
    if (whole || (k >= begin && k < end)) next = combine(running, accumulator_of_item(vector_bits(words, k)));
    held_put(held, k, inclusive ? next : running);
    running = next;
  }
}

// Outputs of a scanned vector, once the prefix is known.
void vector_finish(uint held[WEFT_VECTOR_HELD_WORDS], Accumulator prefix, out uint result[WEFT_VECTOR_OUTPUT_WORDS]) {
#if WEFT_PACKED
  if (kPacked) {
    const uint carry = packed_broadcast(prefix);
    [[unroll]] for (uint i = 0; i < WEFT_VECTOR_OUTPUT_WORDS; ++i) result[i] = packed_combine(carry, held[i]);
    return;
  }
#endif
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) vector_put(result, k, combine(prefix, held_get(held, k)));
}

#endif
#endif
