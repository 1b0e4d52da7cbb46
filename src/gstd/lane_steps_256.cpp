// SPDX-License-Identifier: MIT OR Apache-2.0
//
// As lane_steps_512.cpp, 8 lanes at a time. AVX2 has no compress instruction: a table of shuffles replaces it, and
// words are stored one by one, full or not, as without vectors.
#include "gstd/lane_steps.hpp"

#include "gstd/intrinsics.hpp"

namespace weft::gstd {

#if defined(WEFT_GSTD_INTRINSICS)

#define WEFT_GSTD_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace {

constexpr uint32_t kWidth = 8, kGroups = kMaxLanes / kWidth;

WEFT_GSTD_TARGET inline __m256i set(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
WEFT_GSTD_TARGET inline __m256i load(const uint32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
WEFT_GSTD_TARGET inline void store(uint32_t* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}
// All bits of lanes where a is less. Signed, since no number here has its highest bit.
WEFT_GSTD_TARGET inline __m256i is_less(__m256i a, __m256i b) { return _mm256_cmpgt_epi32(b, a); }
// All bits of a group's lanes below `count`.
WEFT_GSTD_TARGET inline __m256i first_lanes(uint32_t count, uint32_t group) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return is_less(_mm256_add_epi32(lanes, set(group * kWidth)), set(count));
}
// Loads the words of `lanes` and reads no others.
WEFT_GSTD_TARGET inline __m256i load_words(const uint32_t* from, __m256i lanes) {
  return _mm256_maskload_epi32(reinterpret_cast<const int*>(from), lanes);
}
// Loads bytes as words, and reads past them.
WEFT_GSTD_TARGET inline __m256i load_bytes(const uint8_t* from, __m256i lanes) {
  static_assert(kWidth <= CodedSequences::kSlack);
  return _mm256_and_si256(lanes, _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}
WEFT_GSTD_TARGET inline __m256i gather(const uint32_t* table, __m256i lanes, __m256i at) {
  return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), reinterpret_cast<const int*>(table), at, lanes, 4);
}

// LaneQueues::put of each lane of a group that has fewer than `need` bits or appends some.
WEFT_GSTD_TARGET inline void put(LaneQueues& queues, uint32_t group, uint32_t& read, __m256i need, __m256i value,
                                 __m256i bits) {
  const size_t first = size_t{group} * kWidth;
  const __m256i low = set(31), full = set(32);
  const __m256i available = load(&queues.available[first]);
  const __m256i takes = is_less(available, need), is_empty = _mm256_cmpeq_epi32(available, _mm256_setzero_si256());
  const uint32_t mask = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(takes)));
  const __m256i turns = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kTurnsOf8[mask].data())));
  const __m256i fresh = _mm256_and_si256(takes, _mm256_add_epi32(turns, set(read)));
  read += static_cast<uint32_t>(__builtin_popcount(mask));
  const __m256i slot = _mm256_or_si256(load(&queues.slot[first]), _mm256_and_si256(is_empty, fresh));
  const __m256i next = _mm256_or_si256(load(&queues.next[first]), _mm256_andnot_si256(is_empty, fresh));
  const __m256i filled = _mm256_and_si256(_mm256_sub_epi32(_mm256_setzero_si256(), available), low);
  const __m256i left = _mm256_sllv_epi32(value, _mm256_sub_epi32(full, bits));
  const __m256i word = _mm256_or_si256(load(&queues.pending[first]), _mm256_srlv_epi32(left, filled));
  const __m256i is_full = is_less(low, _mm256_add_epi32(filled, bits));
  alignas(32) std::array<uint32_t, kWidth> slots, words;
  store(slots.data(), slot);
  store(words.data(), word);
  for (uint32_t lane = 0; lane < kWidth; ++lane) queues.words[slots[lane]] = words[lane];
  store(&queues.pending[first],
        _mm256_blendv_epi8(word, _mm256_sllv_epi32(left, _mm256_sub_epi32(full, filled)), is_full));
  store(&queues.slot[first], _mm256_blendv_epi8(slot, next, is_full));
  store(&queues.next[first], _mm256_andnot_si256(is_full, next));
  store(&queues.available[first], _mm256_sub_epi32(_mm256_add_epi32(available, _mm256_and_si256(takes, full)), bits));
}

// Encodes symbols, one a lane, from the states after them to those before. Bits that leave
// states precede those in `value`.
WEFT_GSTD_TARGET inline void encode(__m256i packed, __m256i lanes, __m256i& state, __m256i& value, __m256i& bits) {
  const __m256i frequency = _mm256_and_si256(packed, set(0xffff)), base = _mm256_srli_epi32(packed, 16);
  const __m256i divisor = gather(RansStep::kDivisors.data(), lanes, frequency);
  const __m256i scale = _mm256_srli_epi32(divisor, RansStep::kScaleAt);
  const __m256i is_below = is_less(state, _mm256_sllv_epi32(frequency, scale));
  __m256i shift = _mm256_add_epi32(_mm256_sub_epi32(scale, set(kStateLog - kRansLog)), is_below);
  shift = _mm256_and_si256(shift, lanes);
  const __m256i kept = _mm256_srlv_epi32(state, shift);
  const __m256i leaves = _mm256_andnot_si256(_mm256_sllv_epi32(set(~0u), shift), state);
  value = _mm256_or_si256(value, _mm256_sllv_epi32(leaves, bits));
  bits = _mm256_add_epi32(bits, shift);
  const __m256i reciprocal = _mm256_and_si256(divisor, set((1u << RansStep::kScaleAt) - 1));
  const __m256i quotient = _mm256_srli_epi32(_mm256_mullo_epi32(kept, reciprocal), RansStep::kReciprocalLog);
  const __m256i rest = _mm256_sub_epi32(kept, _mm256_mullo_epi32(quotient, frequency));
  const __m256i before = _mm256_or_si256(_mm256_slli_epi32(quotient, kRansLog), _mm256_add_epi32(base, rest));
  state = _mm256_blendv_epi8(state, before, lanes);
}

WEFT_GSTD_TARGET inline void store_row(uint32_t* row, __m256i value, __m256i bits) {
  store(row, _mm256_or_si256(value, _mm256_slli_epi32(bits, kRowBitsAt)));
}

uint32_t groups_of(uint32_t count) { return (count + kWidth - 1) / kWidth; }

// All bits of a group's lanes whose offset has low bits in a table.
WEFT_GSTD_TARGET inline __m256i lanes_with_low(const SequenceBatch& batch, uint32_t group) {
  if (!batch.has_low_bits()) return _mm256_setzero_si256();
  const uint8_t* const from = batch.sequences->offset_bits.items.get() + batch.first + size_t{group} * kWidth;
  const __m256i bits = load_bytes(from, first_lanes(batch.count, group));
  return is_less(set(batch.codes->low_bits - 1), bits);
}

WEFT_GSTD_TARGET void encode_symbols(const SequenceBatch& batch, uint32_t* states, SymbolRow* rows) {
  const CodedSequences& from = *batch.sequences;
  for (uint32_t group = 0; group < groups_of(batch.count); ++group) {
    const size_t first = size_t{group} * kWidth, at = batch.first + first;
    const __m256i lanes = first_lanes(batch.count, group);
    __m256i state = load(states + first);
    if (batch.has_low_bits()) {
      const __m256i extra = load_words(from.offset_extra.items.get() + at, lanes);
      const __m256i symbol = _mm256_and_si256(extra, set((1u << batch.codes->low_bits) - 1));
      const __m256i with_low = lanes_with_low(batch, group);
      __m256i value = _mm256_setzero_si256(), bits = value;
      encode(gather(batch.codes->packed[kLowBits].data(), with_low, symbol), with_low, state, value, bits);
      store_row(&rows[1][first], value, bits);
    }
    __m256i value = _mm256_setzero_si256(), bits = value;
    for (uint32_t field = kLowBits; field-- != 0;) {
      const __m256i symbol = load_bytes(from.symbols[field].items.get() + at, lanes);
      encode(gather(batch.codes->packed[field].data(), lanes, symbol), lanes, state, value, bits);
    }
    store_row(&rows[0][first], value, bits);
    store(states + first, state);
  }
}

WEFT_GSTD_TARGET inline void put_row(LaneQueues& queues, uint32_t group, uint32_t& read, const SymbolRow& row,
                                     __m256i need) {
  const __m256i both = load(&row[size_t{group} * kWidth]);
  put(queues, group, read, need, _mm256_and_si256(both, set((1u << kRowBitsAt) - 1)),
      _mm256_srli_epi32(both, kRowBitsAt));
}

WEFT_GSTD_TARGET void put_sequences(LaneQueues& queues, const SequenceBatch& batch, const SymbolRow* rows) {
  const CodedSequences& from = *batch.sequences;
  const uint32_t groups = groups_of(batch.count);
  uint32_t read = queues.read;
  for (uint32_t group = 0; group < groups; ++group)
    put_row(queues, group, read, rows[0], _mm256_and_si256(first_lanes(batch.count, group), set(kLowBits * kRansLog)));
  if (batch.has_low_bits())
    for (uint32_t group = 0; group < groups; ++group)
      put_row(queues, group, read, rows[1], _mm256_and_si256(lanes_with_low(batch, group), set(kRansLog)));
  for (uint32_t group = 0; group < groups; ++group) {
    const size_t at = batch.first + size_t{group} * kWidth;
    const __m256i lanes = first_lanes(batch.count, group);
    const __m256i low = _mm256_and_si256(lanes_with_low(batch, group), set(batch.codes->low_bits));
    const __m256i extra = load_words(from.offset_extra.items.get() + at, lanes);
    const __m256i bits = _mm256_sub_epi32(load_bytes(from.offset_bits.items.get() + at, lanes), low);
    put(queues, group, read, bits, _mm256_srlv_epi32(extra, low), bits);
  }
  for (uint32_t group = 0; group < groups; ++group) {
    const size_t at = batch.first + size_t{group} * kWidth;
    const __m256i lanes = first_lanes(batch.count, group);
    const __m256i extra = load_words(from.length_extra.items.get() + at, lanes);
    const __m256i bits = load_bytes(from.length_bits.items.get() + at, lanes);
    put(queues, group, read, bits, extra, bits);
  }
  queues.read = read;
}

WEFT_GSTD_TARGET void put_literals(LaneQueues& queues, const BlockLiterals& block, uint32_t first, uint32_t lanes_log) {
  const __m256i byte = set(255), low = set(0xffff), longest = set(block.longest), zero = _mm256_setzero_si256();
  uint32_t read = queues.read;
  for (uint32_t count = 0; first < block.count; first += count) {
    count = std::min(block.count - first, kMaxLiteralsPerLane << lanes_log);
    const uint32_t per_lane = literals_per_lane(count, lanes_log);
    const __m256i end = set(count),
                  apart = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), set(per_lane));
    for (uint32_t step = 0; step < per_lane; step += 2)
      for (uint32_t group = 0, begin = step; group < kGroups && begin < count; ++group, begin += kWidth * per_lane) {
        const __m256i at = _mm256_add_epi32(apart, set(begin)), behind = _mm256_add_epi32(at, set(1));
        const __m256i has_one = is_less(at, end), has_two = is_less(behind, end);
        __m256i one, two;
        if (block.bytes != nullptr) {
          const __m256i bytes =
              _mm256_mask_i32gather_epi32(zero, reinterpret_cast<const int*>(block.bytes + first), at, has_one, 1);
          one = gather(block.codes, has_one, _mm256_and_si256(bytes, byte));
          two = gather(block.codes, has_two, _mm256_and_si256(_mm256_srli_epi32(bytes, 8), byte));
        } else {
          one = gather(block.codes + first, has_one, at);
          two = gather(block.codes + first, has_two, behind);
        }
        const __m256i of_two = _mm256_srli_epi32(two, 16);
        const __m256i value =
            _mm256_or_si256(_mm256_sllv_epi32(_mm256_and_si256(one, low), of_two), _mm256_and_si256(two, low));
        const __m256i need = _mm256_add_epi32(_mm256_and_si256(has_one, longest), _mm256_and_si256(has_two, longest));
        put(queues, group, read, need, value, _mm256_add_epi32(_mm256_srli_epi32(one, 16), of_two));
      }
  }
  queues.read = read;
}

}  // namespace

const VectorSteps* vector_steps_256() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
  static constexpr VectorSteps kSteps = {encode_symbols, put_sequences, put_literals};
  return has ? &kSteps : nullptr;
}

#else

const VectorSteps* vector_steps_256() { return nullptr; }

#endif

}  // namespace weft::gstd
