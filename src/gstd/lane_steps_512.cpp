// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The encoder's lanes, 16 at a time. Inactive lanes need no bits and append none.
#include "gstd/lane_steps.hpp"

#include "gstd/intrinsics.hpp"

namespace weft::gstd {

#if defined(WEFT_GSTD_INTRINSICS)

#define WEFT_GSTD_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,lzcnt,popcnt")))

namespace {

constexpr uint32_t kWidth = 16, kGroups = kMaxLanes / kWidth;

WEFT_GSTD_TARGET inline __m512i set(uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
WEFT_GSTD_TARGET inline __m512i numbers() {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
// The mask of a group's lanes below `count`.
inline __mmask16 first_lanes(uint32_t count, uint32_t group) {
  const uint32_t begin = group * kWidth;
  return static_cast<__mmask16>(count <= begin ? 0 : count >= begin + kWidth ? 0xffff : (1u << (count - begin)) - 1);
}

// 16 lanes in registers.
struct Group {
  __m512i pending, available, slot, next;
};
WEFT_GSTD_TARGET inline Group load(const LaneQueues& queues, uint32_t group) {
  const size_t at = size_t{group} * kWidth;
  return {_mm512_load_si512(&queues.pending[at]), _mm512_load_si512(&queues.available[at]),
          _mm512_load_si512(&queues.slot[at]), _mm512_load_si512(&queues.next[at])};
}
WEFT_GSTD_TARGET inline void store(LaneQueues& queues, uint32_t group, const Group& from) {
  const size_t at = size_t{group} * kWidth;
  _mm512_store_si512(&queues.pending[at], from.pending);
  _mm512_store_si512(&queues.available[at], from.available);
  _mm512_store_si512(&queues.slot[at], from.slot);
  _mm512_store_si512(&queues.next[at], from.next);
}

// LaneQueues::put of each lane that has fewer than `need` bits or appends some.
WEFT_GSTD_TARGET inline void put(Group& group, uint32_t* words, uint32_t& read, __m512i need, __m512i value,
                                 __m512i bits) {
  const __m512i low = set(31), full = set(32);
  const __mmask16 takes = _mm512_cmplt_epu32_mask(group.available, need);
  const __mmask16 is_empty = _mm512_testn_epi32_mask(group.available, group.available);
  const __m512i fresh = _mm512_maskz_expand_epi32(takes, _mm512_add_epi32(numbers(), set(read)));
  read += static_cast<uint32_t>(__builtin_popcount(takes));
  group.slot = _mm512_mask_mov_epi32(group.slot, static_cast<__mmask16>(takes & is_empty), fresh);
  group.next = _mm512_mask_mov_epi32(group.next, static_cast<__mmask16>(takes & ~is_empty), fresh);
  const __m512i filled = _mm512_and_si512(_mm512_sub_epi32(_mm512_setzero_si512(), group.available), low);
  const __m512i left = _mm512_sllv_epi32(value, _mm512_sub_epi32(full, bits));
  const __m512i word = _mm512_or_si512(group.pending, _mm512_srlv_epi32(left, filled));
  const __mmask16 is_full = _mm512_cmpge_epu32_mask(_mm512_add_epi32(filled, bits), full);
  _mm512_mask_i32scatter_epi32(words, is_full, group.slot, word, 4);
  group.pending = _mm512_mask_sllv_epi32(word, is_full, left, _mm512_sub_epi32(full, filled));
  group.slot = _mm512_mask_mov_epi32(group.slot, is_full, group.next);
  group.next = _mm512_maskz_mov_epi32(static_cast<__mmask16>(~is_full), group.next);
  group.available = _mm512_mask_add_epi32(group.available, takes, group.available, full);
  group.available = _mm512_sub_epi32(group.available, bits);
}

WEFT_GSTD_TARGET inline __m512i load_bytes(const uint8_t* from, __mmask16 lanes) {
  return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(lanes, from));
}
WEFT_GSTD_TARGET inline __m512i gather(const void* table, __mmask16 lanes, __m512i at) {
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), lanes, at, table, 4);
}

// Encodes symbols, one a lane, from the states after them to those before. Bits that leave
// states precede those in `value`.
WEFT_GSTD_TARGET inline void encode(__m512i packed, __mmask16 lanes, __m512i& state, __m512i& value, __m512i& bits) {
  const __m512i one = set(1);
  const __m512i frequency = _mm512_and_si512(packed, set(0xffff)), base = _mm512_srli_epi32(packed, 16);
  const __m512i divisor = gather(RansStep::kDivisors.data(), lanes, frequency);
  const __m512i scale = _mm512_srli_epi32(divisor, RansStep::kScaleAt);
  const __mmask16 is_below = _mm512_cmplt_epu32_mask(state, _mm512_sllv_epi32(frequency, scale));
  __m512i shift = _mm512_sub_epi32(scale, set(kStateLog - kRansLog));
  shift = _mm512_mask_sub_epi32(shift, is_below, shift, one);
  shift = _mm512_maskz_mov_epi32(lanes, shift);
  const __m512i kept = _mm512_srlv_epi32(state, shift);
  const __m512i leaves = _mm512_andnot_si512(_mm512_sllv_epi32(set(~0u), shift), state);
  value = _mm512_or_si512(value, _mm512_sllv_epi32(leaves, bits));
  bits = _mm512_add_epi32(bits, shift);
  const __m512i reciprocal = _mm512_and_si512(divisor, set((1u << RansStep::kScaleAt) - 1));
  const __m512i quotient = _mm512_srli_epi32(_mm512_mullo_epi32(kept, reciprocal), RansStep::kReciprocalLog);
  const __m512i rest = _mm512_sub_epi32(kept, _mm512_mullo_epi32(quotient, frequency));
  const __m512i before = _mm512_or_si512(_mm512_slli_epi32(quotient, kRansLog), _mm512_add_epi32(base, rest));
  state = _mm512_mask_mov_epi32(state, lanes, before);
}

WEFT_GSTD_TARGET inline void store_row(uint32_t* row, __m512i value, __m512i bits) {
  _mm512_storeu_si512(row, _mm512_or_si512(value, _mm512_slli_epi32(bits, kRowBitsAt)));
}

// Lanes whose offset has low bits in a table, and how many.
WEFT_GSTD_TARGET inline __mmask16 lanes_with_low(const SequenceBatch& batch, uint32_t group, __mmask16 lanes) {
  const __m512i bits = load_bytes(batch.sequences->offset_bits.items.get() + batch.first + group * kWidth, lanes);
  return _mm512_mask_cmpge_epu32_mask(lanes, bits, set(batch.codes->low_bits));
}

WEFT_GSTD_TARGET void encode_symbols(const SequenceBatch& batch, uint32_t* states, SymbolRow* rows) {
  const CodedSequences& from = *batch.sequences;
  for (uint32_t group = 0; group < kGroups; ++group) {
    const size_t at = size_t{group} * kWidth;
    const __mmask16 lanes = first_lanes(batch.count, group);
    __m512i state = _mm512_loadu_si512(states + at);
    if (batch.has_low_bits()) {
      const __m512i extra = _mm512_maskz_loadu_epi32(lanes, from.offset_extra.items.get() + batch.first + at);
      const __m512i symbol = _mm512_and_si512(extra, set((1u << batch.codes->low_bits) - 1));
      const __mmask16 with_low = lanes_with_low(batch, group, lanes);
      __m512i value = _mm512_setzero_si512(), bits = value;
      encode(gather(batch.codes->packed[kLowBits].data(), with_low, symbol), with_low, state, value, bits);
      store_row(&rows[1][at], value, bits);
    }
    __m512i value = _mm512_setzero_si512(), bits = value;
    for (uint32_t field = kLowBits; field-- != 0;) {
      const __m512i symbol = load_bytes(from.symbols[field].items.get() + batch.first + at, lanes);
      encode(gather(batch.codes->packed[field].data(), lanes, symbol), lanes, state, value, bits);
    }
    store_row(&rows[0][at], value, bits);
    _mm512_storeu_si512(states + at, state);
  }
}

WEFT_GSTD_TARGET void put_sequences(LaneQueues& queues, const SequenceBatch& batch, const SymbolRow* rows) {
  const CodedSequences& from = *batch.sequences;
  const uint32_t groups = (batch.count + kWidth - 1) / kWidth;
  std::array<Group, kGroups> lanes;
  std::array<__mmask16, kGroups> active, with_low;
  for (uint32_t group = 0; group < groups; ++group) {
    lanes[group] = load(queues, group);
    active[group] = first_lanes(batch.count, group);
    with_low[group] = batch.has_low_bits() ? lanes_with_low(batch, group, active[group]) : __mmask16{0};
  }
  uint32_t read = queues.read;
  const auto put_row = [&](uint32_t group, const SymbolRow& row, __m512i need) WEFT_GSTD_TARGET {
    const __m512i both = _mm512_loadu_si512(&row[size_t{group} * kWidth]);
    put(lanes[group], queues.words, read, need, _mm512_and_si512(both, set((1u << kRowBitsAt) - 1)),
        _mm512_srli_epi32(both, kRowBitsAt));
  };
  for (uint32_t group = 0; group < groups; ++group)
    put_row(group, rows[0], _mm512_maskz_mov_epi32(active[group], set(kLowBits * kRansLog)));
  if (batch.has_low_bits())
    for (uint32_t group = 0; group < groups; ++group)
      put_row(group, rows[1], _mm512_maskz_mov_epi32(with_low[group], set(kRansLog)));
  for (uint32_t group = 0; group < groups; ++group) {
    const size_t at = batch.first + size_t{group} * kWidth;
    const __m512i low = _mm512_maskz_mov_epi32(with_low[group], set(batch.codes->low_bits));
    const __m512i bits = _mm512_sub_epi32(load_bytes(from.offset_bits.items.get() + at, active[group]), low);
    const __m512i extra = _mm512_maskz_loadu_epi32(active[group], from.offset_extra.items.get() + at);
    put(lanes[group], queues.words, read, bits, _mm512_srlv_epi32(extra, low), bits);
  }
  for (uint32_t group = 0; group < groups; ++group) {
    const size_t at = batch.first + size_t{group} * kWidth;
    const __m512i bits = load_bytes(from.length_bits.items.get() + at, active[group]);
    put(lanes[group], queues.words, read, bits,
        _mm512_maskz_loadu_epi32(active[group], from.length_extra.items.get() + at), bits);
  }
  queues.read = read;
  for (uint32_t group = 0; group < groups; ++group) store(queues, group, lanes[group]);
}

WEFT_GSTD_TARGET void put_literals(LaneQueues& queues, const BlockLiterals& block, uint32_t first, uint32_t lanes_log) {
  std::array<Group, kGroups> lanes = {load(queues, 0), load(queues, 1)};
  uint32_t read = queues.read;
  for (uint32_t count = 0; first < block.count; first += count) {
    count = std::min(block.count - first, kMaxLiteralsPerLane << lanes_log);
    const uint32_t per_lane = literals_per_lane(count, lanes_log);
    for (uint32_t step = 0; step < per_lane; step += 2)
      for (uint32_t group = 0; group < kGroups; ++group) {
        const __m512i lane = _mm512_add_epi32(numbers(), set(group * kWidth));
        const __m512i at = _mm512_add_epi32(_mm512_mullo_epi32(lane, set(per_lane)), set(step));
        const __mmask16 has_one = _mm512_cmplt_epu32_mask(at, set(count));
        const __mmask16 has_two = _mm512_cmplt_epu32_mask(_mm512_add_epi32(at, set(1)), set(count));
        if (has_one == 0) break;
        __m512i one, two;
        if (block.bytes != nullptr) {
          const __m512i bytes =
              _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), has_one, at, block.bytes + first, 1);
          one = gather(block.codes, has_one, _mm512_and_si512(bytes, set(255)));
          two = gather(block.codes, has_two, _mm512_and_si512(_mm512_srli_epi32(bytes, 8), set(255)));
        } else {
          one = gather(block.codes + first, has_one, at);
          two = gather(block.codes + first + 1, has_two, at);
        }
        const __m512i low = set(0xffff), of_two = _mm512_srli_epi32(two, 16);
        const __m512i value =
            _mm512_or_si512(_mm512_sllv_epi32(_mm512_and_si512(one, low), of_two), _mm512_and_si512(two, low));
        const __m512i bits = _mm512_add_epi32(_mm512_srli_epi32(one, 16), of_two);
        const __m512i need = _mm512_add_epi32(_mm512_maskz_mov_epi32(has_one, set(block.longest)),
                                              _mm512_maskz_mov_epi32(has_two, set(block.longest)));
        put(lanes[group], queues.words, read, need, value, bits);
      }
  }
  queues.read = read;
  store(queues, 0, lanes[0]);
  store(queues, 1, lanes[1]);
}

}  // namespace

const VectorSteps* vector_steps_512() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("bmi2") != 0;
  static constexpr VectorSteps kSteps = {encode_symbols, put_sequences, put_literals};
  return has ? &kSteps : nullptr;
}

#else

const VectorSteps* vector_steps_512() { return nullptr; }

#endif

}  // namespace weft::gstd
