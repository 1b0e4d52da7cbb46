// SPDX-License-Identifier: MIT OR Apache-2.0
//
// As lanes.cpp, 8 lanes at a time. AVX2 lacks two instructions: a table of shuffles replaces the expanding load, and a
// float's exponent the count of leading zeros.
#include <algorithm>
#include <cstring>

#include "gstd/intrinsics.hpp"
#include "gstd/lanes.hpp"

namespace weft::gstd {

#if defined(WEFT_GSTD_INTRINSICS)

#define WEFT_GSTD_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace {

constexpr uint32_t kWidth = 8, kMaxGroups = kMaxLanes / kWidth;

// 8 lanes, with their queues in two halves.
struct Group {
  __m256i low, high, bits, state;
};

alignas(64) constexpr std::array<uint32_t, 2 * kWidth> kOnesThenNone = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};

WEFT_GSTD_TARGET inline __m256i set(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
WEFT_GSTD_TARGET inline __m256i load(const uint32_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}
WEFT_GSTD_TARGET inline void store(uint32_t* to, __m256i value) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), value);
}
WEFT_GSTD_TARGET inline void store_unaligned(uint32_t* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}
WEFT_GSTD_TARGET inline Group load(const Lanes& lanes, uint32_t first) {
  return {_mm256_load_si256(reinterpret_cast<const __m256i*>(&lanes.fifo[first])),
          _mm256_load_si256(reinterpret_cast<const __m256i*>(&lanes.fifo[first + 4])), load(&lanes.bits[first]),
          load(&lanes.state[first])};
}
WEFT_GSTD_TARGET inline void store(Lanes& lanes, uint32_t first, const Group& group) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(&lanes.fifo[first]), group.low);
  _mm256_store_si256(reinterpret_cast<__m256i*>(&lanes.fifo[first + 4]), group.high);
  store(&lanes.bits[first], group.bits);
  store(&lanes.state[first], group.state);
}

WEFT_GSTD_TARGET inline __m256i low_half(__m256i of) { return _mm256_cvtepu32_epi64(_mm256_castsi256_si128(of)); }
WEFT_GSTD_TARGET inline __m256i high_half(__m256i of) { return _mm256_cvtepu32_epi64(_mm256_extracti128_si256(of, 1)); }
// The low words of both halves.
WEFT_GSTD_TARGET inline __m256i joined(__m256i low, __m256i high) {
  const __m256 words = _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _MM_SHUFFLE(2, 0, 2, 0));
  return _mm256_permute4x64_epi64(_mm256_castps_si256(words), _MM_SHUFFLE(3, 1, 2, 0));
}
// All bits of the lanes below `count`; `first` is the first lane.
WEFT_GSTD_TARGET inline __m256i first_lanes(uint32_t count, uint32_t first) {
  const uint32_t here = count <= first ? 0 : std::min(count - first, kWidth);
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&kOnesThenNone[kWidth - here]));
}

// Compared numbers are far below 2^31.
WEFT_GSTD_TARGET inline void refill(Group& group, __m256i active, __m256i need, const uint32_t*& next) {
  const __m256i takes = _mm256_and_si256(active, _mm256_cmpgt_epi32(need, group.bits));
  const uint32_t mask = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(takes)));
  const __m256i turns = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kTurnsOf8[mask].data())));
  const __m256i ahead = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(next));
  const __m256i words = _mm256_and_si256(takes, _mm256_permutevar8x32_epi32(ahead, turns));
  next += _mm_popcnt_u32(mask);
  const __m256i positions = _mm256_sub_epi32(set(32), group.bits);
  group.low = _mm256_or_si256(group.low, _mm256_sllv_epi64(low_half(words), low_half(positions)));
  group.high = _mm256_or_si256(group.high, _mm256_sllv_epi64(high_half(words), high_half(positions)));
  group.bits = _mm256_add_epi32(group.bits, _mm256_and_si256(takes, set(32)));
}

// Lanes that take no bits have count 0.
WEFT_GSTD_TARGET inline __m256i take(Group& group, __m256i count) {
  const __m256i low = low_half(count), high = high_half(count), all = _mm256_set1_epi64x(64);
  const __m256i value = joined(_mm256_srlv_epi64(group.low, _mm256_sub_epi64(all, low)),
                               _mm256_srlv_epi64(group.high, _mm256_sub_epi64(all, high)));
  group.low = _mm256_sllv_epi64(group.low, low);
  group.high = _mm256_sllv_epi64(group.high, high);
  group.bits = _mm256_sub_epi32(group.bits, count);
  return value;
}

WEFT_GSTD_TARGET inline __m256i symbol(Group& group, __m256i active, const SlotTable& table) {
  const __m256i slot = _mm256_and_si256(group.state, set(kRansSlots - 1));
  const auto* slots = reinterpret_cast<const int*>(table.data());
  const __m256i zero = _mm256_setzero_si256();
  const __m256i shares = _mm256_mask_i32gather_epi32(zero, slots, slot, active, 8);
  const __m256i values = _mm256_mask_i32gather_epi32(zero, slots + 1, slot, active, 8);
  // Both factors are below 2^16.
  const __m256i product =
      _mm256_madd_epi16(_mm256_and_si256(shares, set(0xffff)), _mm256_srli_epi32(group.state, kRansLog));
  const __m256i state = _mm256_add_epi32(product, _mm256_srli_epi32(shares, 16));
  // States below 2^24 are exact as floats: the exponent is the highest bit's position.
  const __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(state)), 23);
  const __m256i shift = _mm256_and_si256(active, _mm256_sub_epi32(set(127 + kStateLog), exponent));
  const __m256i bits = take(group, shift);
  group.state = _mm256_blendv_epi8(group.state, _mm256_or_si256(_mm256_sllv_epi32(state, shift), bits), active);
  return values;
}

WEFT_GSTD_TARGET const uint32_t* sequences_256(Lanes& lanes, const uint32_t* next, const uint32_t* end,
                                               const std::array<SlotTable, kFields>& fields, uint32_t low_bits,
                                               uint32_t first, uint32_t count, Sequences& sequences) {
  const __m256i base_bits = set(0xffffff);
  const uint32_t groups = (count + kWidth - 1) / kWidth;
  Group group[kMaxGroups];
  __m256i literals[kMaxGroups], match[kMaxGroups], offset[kMaxGroups], low[kMaxGroups];
  __m256i active[kMaxGroups], has_low[kMaxGroups];
  for (uint32_t g = 0; g < groups; ++g) {
    group[g] = load(lanes, g * kWidth);
    active[g] = first_lanes(count, g * kWidth);
    refill(group[g], active[g], set(3 * kRansLog), next);
    literals[g] = symbol(group[g], active[g], fields[kLiteralLength]);
    offset[g] = symbol(group[g], active[g], fields[kOffset]);
    match[g] = symbol(group[g], active[g], fields[kMatchLength]);
    has_low[g] = low[g] = _mm256_setzero_si256();
  }
  if (next > end) return next;
  if (low_bits != 32) {
    for (uint32_t g = 0; g < groups; ++g) {
      has_low[g] = _mm256_and_si256(active[g], _mm256_cmpgt_epi32(_mm256_srli_epi32(offset[g], 24), set(low_bits - 1)));
      refill(group[g], has_low[g], set(kRansLog), next);
      low[g] = symbol(group[g], has_low[g], fields[kLowBits]);
    }
    if (next > end) return next;
  }
  const __m128i low_count = _mm_cvtsi32_si128(static_cast<int>(low_bits));
  for (uint32_t g = 0; g < groups; ++g) {
    const __m256i bits =
        _mm256_sub_epi32(_mm256_srli_epi32(offset[g], 24), _mm256_and_si256(has_low[g], set(low_bits)));
    refill(group[g], active[g], bits, next);
    const __m256i value = take(group[g], bits);
    const __m256i with_low = _mm256_or_si256(_mm256_sll_epi32(value, low_count), low[g]);
    offset[g] =
        _mm256_add_epi32(_mm256_and_si256(offset[g], base_bits), _mm256_blendv_epi8(value, with_low, has_low[g]));
    store_unaligned(&sequences.offset[first + g * kWidth], offset[g]);
  }
  if (next > end) return next;
  for (uint32_t g = 0; g < groups; ++g) {
    const __m256i literal_bits = _mm256_srli_epi32(literals[g], 24), match_bits = _mm256_srli_epi32(match[g], 24);
    refill(group[g], active[g], _mm256_add_epi32(literal_bits, match_bits), next);
    store_unaligned(&sequences.literals[first + g * kWidth],
                    _mm256_add_epi32(_mm256_and_si256(literals[g], base_bits), take(group[g], literal_bits)));
    store_unaligned(&sequences.match[first + g * kWidth],
                    _mm256_add_epi32(_mm256_and_si256(match[g], base_bits), take(group[g], match_bits)));
    store(lanes, g * kWidth, group[g]);
  }
  return next;
}

// The table's entries of the literals of a group's active lanes, whose tables begin at `table`.
template <LiteralSource source>
WEFT_GSTD_TARGET inline __m256i literal(Group& group, __m256i active, const int* entries, __m256i table) {
  if constexpr (source == LiteralSource::plain) return take(group, _mm256_and_si256(active, set(8)));
  constexpr int kUnread = 64 - static_cast<int>(kMaxCodeLength);
  __m256i index = joined(_mm256_srli_epi64(group.low, kUnread), _mm256_srli_epi64(group.high, kUnread));
  if constexpr (source != LiteralSource::one_table) index = _mm256_add_epi32(index, table);
  const __m256i entry = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), entries, index, active, 2);
  const __m256i length = _mm256_and_si256(_mm256_srli_epi32(entry, 8), set(15));
  group.low = _mm256_sllv_epi64(group.low, low_half(length));
  group.high = _mm256_sllv_epi64(group.high, high_half(length));
  group.bits = _mm256_sub_epi32(group.bits, length);
  return entry;
}

template <LiteralSource source>
WEFT_GSTD_TARGET const uint32_t* literals_256(Lanes& lanes, uint32_t lanes_log, const uint32_t* next,
                                              const uint32_t* end, const LiteralTable* tables, uint32_t map,
                                              size_t count, uint8_t* to) {
  constexpr uint32_t kLongest = source == LiteralSource::plain ? 8 : kMaxCodeLength;
  const auto* entries = reinterpret_cast<const int*>(tables->entries.data());
  const uint32_t groups = (1u << lanes_log) / kWidth;
  Group group[kMaxGroups];
  for (uint32_t g = 0; g < groups; ++g) group[g] = load(lanes, g * kWidth);

  // Where the tables of contexts begin.
  alignas(32) std::array<uint32_t, kLiteralContexts> begins;
  for (uint32_t c = 0; c < kLiteralContexts; ++c) begins[c] = BlockHeader::table_of(map, c) * kTableStride;
  const __m256i zero = _mm256_setzero_si256(), begin_of_context = load(begins.data());

  while (count != 0) {
    const uint32_t round = static_cast<uint32_t>(std::min<size_t>(count, kMaxLiteralsPerLane << lanes_log));
    const uint32_t per_lane = literals_per_lane(round, lanes_log);
    __m256i previous[kMaxGroups] = {zero, zero, zero, zero};
    for (uint32_t word = 0; word < per_lane; word += 4) {
      __m256i words[kMaxGroups] = {zero, zero, zero, zero};  // four literals of each lane
      for (uint32_t step = word; step < word + 4; step += 2) {
        const uint32_t with_two = round < step + 2 ? 0 : (round - step - 2) / per_lane + 1;
        const uint32_t with_any = round < step + 1 ? 0 : (round - step - 1) / per_lane + 1;
        for (uint32_t g = 0; g < groups && g * kWidth < with_any; ++g) {
          const __m256i any = first_lanes(with_any, g * kWidth), two = first_lanes(with_two, g * kWidth);
          refill(group[g], any, _mm256_add_epi32(set(kLongest), _mm256_and_si256(two, set(kLongest))), next);
          for (uint32_t i = step; i < step + 2; ++i) {
            __m256i table = zero;
            if constexpr (source == LiteralSource::by_context)
              table = _mm256_permutevar8x32_epi32(begin_of_context, _mm256_srli_epi32(previous[g], kContextAt));
            previous[g] = literal<source>(group[g], i == step ? any : two, entries, table);
            const __m128i left_by = _mm_cvtsi32_si128(static_cast<int>(8 * (i - word)));
            words[g] = _mm256_or_si256(words[g], _mm256_sll_epi32(_mm256_and_si256(previous[g], set(255)), left_by));
          }
        }
        if (next > end) return next;
      }
      const uint32_t with_word = round < word + 1 ? 0 : (round - word - 1) / per_lane + 1;
      for (uint32_t g = 0; g < groups && g * kWidth < with_word; ++g) {
        alignas(32) std::array<uint32_t, kWidth> of_lane;
        store(of_lane.data(), words[g]);
        // Of lanes without literals too: after the last literal is room.
        uint8_t* at = to + size_t{g} * kWidth * per_lane + word;
        for (uint32_t lane = 0; lane < kWidth; ++lane, at += per_lane) std::memcpy(at, &of_lane[lane], 4);
      }
    }
    to += round;
    count -= round;
  }
  for (uint32_t g = 0; g < groups; ++g) store(lanes, g * kWidth, group[g]);
  return next;
}

const uint32_t* read_literals_256(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                                  LiteralSource source, const LiteralTable* tables, uint32_t map, size_t count,
                                  uint8_t* to) {
  switch (source) {
    case LiteralSource::plain:
      return literals_256<LiteralSource::plain>(lanes, lanes_log, next, end, tables, map, count, to);
    case LiteralSource::one_table:
      return literals_256<LiteralSource::one_table>(lanes, lanes_log, next, end, tables, map, count, to);
    case LiteralSource::by_context:
      return literals_256<LiteralSource::by_context>(lanes, lanes_log, next, end, tables, map, count, to);
  }
  return next;
}

}  // namespace

const VectorLanes* vector_lanes_256() {
  static constexpr VectorLanes kLanes = {sequences_256, read_literals_256};
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
  return has ? &kLanes : nullptr;
}

#else

const VectorLanes* vector_lanes_256() { return nullptr; }

#endif

}  // namespace weft::gstd
