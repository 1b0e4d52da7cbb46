// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/lanes.hpp"

#include <algorithm>

#include "gstd/intrinsics.hpp"

namespace weft::gstd {

#if defined(WEFT_GSTD_INTRINSICS)

#define WEFT_GSTD_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,bmi,bmi2,lzcnt,popcnt")))

namespace {

constexpr uint32_t kWidth = 16;

// 16 lanes, with their queues in two halves.
struct Group {
  __m512i low, high, bits, state;
};

WEFT_GSTD_TARGET inline Group load(const Lanes& lanes, uint32_t first) {
  return {_mm512_load_si512(&lanes.fifo[first]), _mm512_load_si512(&lanes.fifo[first + 8]),
          _mm512_load_si512(&lanes.bits[first]), _mm512_load_si512(&lanes.state[first])};
}
WEFT_GSTD_TARGET inline void store(Lanes& lanes, uint32_t first, const Group& group) {
  _mm512_store_si512(&lanes.fifo[first], group.low);
  _mm512_store_si512(&lanes.fifo[first + 8], group.high);
  _mm512_store_si512(&lanes.bits[first], group.bits);
  _mm512_store_si512(&lanes.state[first], group.state);
}

WEFT_GSTD_TARGET inline __m512i low_half(__m512i of) { return _mm512_cvtepu32_epi64(_mm512_castsi512_si256(of)); }
WEFT_GSTD_TARGET inline __m512i high_half(__m512i of) {
  return _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(of, 1));
}
WEFT_GSTD_TARGET inline __m512i joined(__m512i low, __m512i high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)), _mm512_cvtepi64_epi32(high), 1);
}

WEFT_GSTD_TARGET inline void refill(Group& group, __mmask16 active, __m512i need, const uint32_t*& next) {
  const __mmask16 takes = _mm512_mask_cmplt_epu32_mask(active, group.bits, need);
  const __m512i words = _mm512_maskz_expand_epi32(takes, _mm512_loadu_si512(next));
  next += _mm_popcnt_u32(takes);
  const __m512i positions = _mm512_sub_epi32(_mm512_set1_epi32(32), group.bits);
  group.low = _mm512_or_si512(group.low, _mm512_sllv_epi64(low_half(words), low_half(positions)));
  group.high = _mm512_or_si512(group.high, _mm512_sllv_epi64(high_half(words), high_half(positions)));
  group.bits = _mm512_mask_add_epi32(group.bits, takes, group.bits, _mm512_set1_epi32(32));
}

// Lanes that take no bits have count 0.
WEFT_GSTD_TARGET inline __m512i take(Group& group, __m512i count) {
  const __m512i low = low_half(count), high = high_half(count), all = _mm512_set1_epi64(64);
  const __m512i value = joined(_mm512_srlv_epi64(group.low, _mm512_sub_epi64(all, low)),
                               _mm512_srlv_epi64(group.high, _mm512_sub_epi64(all, high)));
  group.low = _mm512_sllv_epi64(group.low, low);
  group.high = _mm512_sllv_epi64(group.high, high);
  group.bits = _mm512_sub_epi32(group.bits, count);
  return value;
}

WEFT_GSTD_TARGET inline __m512i symbol(Group& group, __mmask16 active, const SlotTable& table) {
  const __m512i slot = _mm512_and_si512(group.state, _mm512_set1_epi32(kRansSlots - 1));
  const auto* slots = reinterpret_cast<const char*>(table.data());
  const __m512i zero = _mm512_setzero_si512();
  const __m512i shares = _mm512_mask_i32gather_epi32(zero, active, slot, slots, 8);
  const __m512i values = _mm512_mask_i32gather_epi32(zero, active, slot, slots + 4, 8);
  const __m512i state = _mm512_add_epi32(
      _mm512_mullo_epi32(_mm512_and_si512(shares, _mm512_set1_epi32(0xffff)), _mm512_srli_epi32(group.state, kRansLog)),
      _mm512_srli_epi32(shares, 16));
  const __m512i shift =
      _mm512_maskz_sub_epi32(active, _mm512_lzcnt_epi32(state), _mm512_set1_epi32(31 - static_cast<int>(kStateLog)));
  const __m512i bits = take(group, shift);
  group.state = _mm512_mask_or_epi32(group.state, active, _mm512_sllv_epi32(state, shift), bits);
  return values;
}

WEFT_GSTD_TARGET inline __mmask16 first_lanes(uint32_t count, uint32_t first) {
  return static_cast<__mmask16>(count <= first ? 0u : (1u << std::min(count - first, kWidth)) - 1);
}

WEFT_GSTD_TARGET const uint32_t* sequences_512(Lanes& lanes, const uint32_t* next, const uint32_t* end,
                                               const std::array<SlotTable, kFields>& fields, uint32_t low_bits,
                                               uint32_t first, uint32_t count, Sequences& sequences) {
  const __m512i base_bits = _mm512_set1_epi32(0xffffff);
  const uint32_t groups = (count + kWidth - 1) / kWidth;
  Group group[2];
  __m512i literals[2], match[2], offset[2], low[2];
  __mmask16 active[2], has_low[2];
  for (uint32_t g = 0; g < groups; ++g) {
    group[g] = load(lanes, g * kWidth);
    active[g] = first_lanes(count, g * kWidth);
    refill(group[g], active[g], _mm512_set1_epi32(3 * kRansLog), next);
    literals[g] = symbol(group[g], active[g], fields[kLiteralLength]);
    offset[g] = symbol(group[g], active[g], fields[kOffset]);
    match[g] = symbol(group[g], active[g], fields[kMatchLength]);
    has_low[g] = 0;
    low[g] = _mm512_setzero_si512();
  }
  if (next > end) return next;
  if (low_bits != 32) {
    for (uint32_t g = 0; g < groups; ++g) {
      has_low[g] = _mm512_mask_cmpge_epu32_mask(active[g], _mm512_srli_epi32(offset[g], 24),
                                                _mm512_set1_epi32(static_cast<int>(low_bits)));
      refill(group[g], has_low[g], _mm512_set1_epi32(kRansLog), next);
      low[g] = symbol(group[g], has_low[g], fields[kLowBits]);
    }
    if (next > end) return next;
  }
  const __m128i low_count = _mm_cvtsi32_si128(static_cast<int>(low_bits));
  for (uint32_t g = 0; g < groups; ++g) {
    const __m512i extra = _mm512_srli_epi32(offset[g], 24);
    const __m512i bits = _mm512_mask_sub_epi32(extra, has_low[g], extra, _mm512_set1_epi32(static_cast<int>(low_bits)));
    refill(group[g], active[g], bits, next);
    __m512i value = take(group[g], bits);
    value = _mm512_mask_or_epi32(value, has_low[g], _mm512_sll_epi32(value, low_count), low[g]);
    offset[g] = _mm512_add_epi32(_mm512_and_si512(offset[g], base_bits), value);
    _mm512_storeu_si512(&sequences.offset[first + g * kWidth], offset[g]);
  }
  if (next > end) return next;
  for (uint32_t g = 0; g < groups; ++g) {
    const __m512i literal_bits = _mm512_srli_epi32(literals[g], 24), match_bits = _mm512_srli_epi32(match[g], 24);
    refill(group[g], active[g], _mm512_add_epi32(literal_bits, match_bits), next);
    _mm512_storeu_si512(&sequences.literals[first + g * kWidth],
                        _mm512_add_epi32(_mm512_and_si512(literals[g], base_bits), take(group[g], literal_bits)));
    _mm512_storeu_si512(&sequences.match[first + g * kWidth],
                        _mm512_add_epi32(_mm512_and_si512(match[g], base_bits), take(group[g], match_bits)));
    store(lanes, g * kWidth, group[g]);
  }
  return next;
}

// Decodes the next literal of each lane that has one, to its table's entry.
template <LiteralSource source>
WEFT_GSTD_TARGET inline __m512i literal(Group& group, __mmask16 active, const char* entries, __m512i table) {
  if constexpr (source == LiteralSource::plain) return take(group, _mm512_maskz_set1_epi32(active, 8));
  constexpr int kUnread = 64 - static_cast<int>(kMaxCodeLength);
  __m512i index = joined(_mm512_srli_epi64(group.low, kUnread), _mm512_srli_epi64(group.high, kUnread));
  if constexpr (source != LiteralSource::one_table) index = _mm512_add_epi32(index, table);
  const __m512i entry = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active, index, entries, 2);
  const __m512i length = _mm512_and_si512(_mm512_srli_epi32(entry, 8), _mm512_set1_epi32(15));
  group.low = _mm512_sllv_epi64(group.low, low_half(length));
  group.high = _mm512_sllv_epi64(group.high, high_half(length));
  group.bits = _mm512_sub_epi32(group.bits, length);
  return entry;
}

template <LiteralSource source>
WEFT_GSTD_TARGET const uint32_t* literals_512(Lanes& lanes, uint32_t lanes_log, const uint32_t* next,
                                              const uint32_t* end, const LiteralTable* tables, uint32_t map,
                                              size_t count, uint8_t* to) {
  constexpr uint32_t kLongest = source == LiteralSource::plain ? 8 : kMaxCodeLength;
  const auto* entries = reinterpret_cast<const char*>(tables->entries.data());
  const uint32_t groups = lanes_log == kMaxLanesLog ? 2 : 1;
  Group group[2];
  for (uint32_t g = 0; g < groups; ++g) group[g] = load(lanes, g * kWidth);

  // Where the tables of contexts begin.
  alignas(64) std::array<uint32_t, kWidth> begins{};
  for (uint32_t c = 0; c < kLiteralContexts; ++c) begins[c] = BlockHeader::table_of(map, c) * kTableStride;
  const __m512i zero = _mm512_setzero_si512(), begin_of_context = _mm512_load_si512(begins.data());

  while (count != 0) {
    const uint32_t round = static_cast<uint32_t>(std::min<size_t>(count, kMaxLiteralsPerLane << lanes_log));
    const uint32_t per_lane = literals_per_lane(round, lanes_log);
    const __m512i apart = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                             _mm512_set1_epi32(static_cast<int>(per_lane)));
    __m512i previous[2] = {zero, zero};
    for (uint32_t word = 0; word < per_lane; word += 4) {
      __m512i words[2] = {zero, zero};  // four literals of each lane
      for (uint32_t step = word; step < word + 4; step += 2) {
        const uint32_t with_two = round < step + 2 ? 0 : (round - step - 2) / per_lane + 1;
        const uint32_t with_any = round < step + 1 ? 0 : (round - step - 1) / per_lane + 1;
        for (uint32_t g = 0; g < groups && g * kWidth < with_any; ++g) {
          const __mmask16 any = first_lanes(with_any, g * kWidth), two = first_lanes(with_two, g * kWidth);
          const __m512i one = _mm512_set1_epi32(static_cast<int>(kLongest));
          refill(group[g], any, _mm512_mask_add_epi32(one, two, one, one), next);
          for (uint32_t i = step; i < step + 2; ++i) {
            __m512i table = zero;
            if constexpr (source == LiteralSource::by_context)
              table = _mm512_permutexvar_epi32(_mm512_srli_epi32(previous[g], kContextAt), begin_of_context);
            previous[g] = literal<source>(group[g], i == step ? any : two, entries, table);
            words[g] = _mm512_or_si512(
                words[g], _mm512_slli_epi32(_mm512_and_si512(previous[g], _mm512_set1_epi32(255)), 8 * (i - word)));
          }
        }
        if (next > end) return next;
      }
      const uint32_t with_word = round < word + 1 ? 0 : (round - word - 1) / per_lane + 1;
      for (uint32_t g = 0; g < groups && g * kWidth < with_word; ++g)
        _mm512_mask_i32scatter_epi32(to + size_t{g} * kWidth * per_lane + word, first_lanes(with_word, g * kWidth),
                                     apart, words[g], 1);
    }
    to += round;
    count -= round;
  }
  for (uint32_t g = 0; g < groups; ++g) store(lanes, g * kWidth, group[g]);
  return next;
}

const uint32_t* read_literals_512(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                                  LiteralSource source, const LiteralTable* tables, uint32_t map, size_t count,
                                  uint8_t* to) {
  switch (source) {
    case LiteralSource::plain:
      return literals_512<LiteralSource::plain>(lanes, lanes_log, next, end, tables, map, count, to);
    case LiteralSource::one_table:
      return literals_512<LiteralSource::one_table>(lanes, lanes_log, next, end, tables, map, count, to);
    case LiteralSource::by_context:
      return literals_512<LiteralSource::by_context>(lanes, lanes_log, next, end, tables, map, count, to);
  }
  return next;
}

}  // namespace

const VectorLanes* vector_lanes_512() {
  static constexpr VectorLanes kLanes = {sequences_512, read_literals_512};
  static const bool has = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("bmi2") != 0;
  return has ? &kLanes : nullptr;
}

#else

const VectorLanes* vector_lanes_512() { return nullptr; }

#endif

}  // namespace weft::gstd
