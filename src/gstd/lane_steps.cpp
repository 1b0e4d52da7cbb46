// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/lane_steps.hpp"

#include "gstd/vectors.hpp"

#if defined(WEFT_GSTD_VECTORS)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gstd/lane_steps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gstd/vectors_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::gstd::HWY_NAMESPACE {

HWY_INLINE V load(const uint32_t* from) { return hn::LoadU(kWords, from); }
HWY_INLINE void store(uint32_t* to, V value) { hn::StoreU(value, kWords, to); }
// Numbers of the active lanes; 0 in others. Reads past them.
HWY_INLINE V load(const uint32_t* from, M active) { return hn::IfThenElseZero(active, load(from)); }
HWY_INLINE V load(const uint8_t* from, M active) {
  static_assert(kWidth <= CodedSequences::kSlack);
  return hn::IfThenElseZero(active, hn::PromoteTo(kWords, hn::LoadU(Bytes(), from)));
}

// A vector of lanes.
struct Group {
  V pending, available, slot, next;
};
HWY_INLINE Group load(const LaneQueues& queues, uint32_t group) {
  const size_t at = size_t{group} * kWidth;
  return {load(&queues.pending[at]), load(&queues.available[at]), load(&queues.slot[at]), load(&queues.next[at])};
}
HWY_INLINE void store(LaneQueues& queues, uint32_t group, const Group& from) {
  const size_t at = size_t{group} * kWidth;
  store(&queues.pending[at], from.pending);
  store(&queues.available[at], from.available);
  store(&queues.slot[at], from.slot);
  store(&queues.next[at], from.next);
}

// LaneQueues::put of each lane that has fewer than `need` bits or appends some. Inactive lanes need no bits and append
// none.
HWY_INLINE void put(Group& group, uint32_t* to, uint32_t& read, V need, V value, V bits) {
  const M takes = is_less(group.available, need), is_empty = hn::Eq(group.available, zero());
  const V fresh = hn::IfThenElseZero(takes, hn::Add(turns_of(takes), set(read)));
  read += count_of(takes);
  group.slot = hn::Or(group.slot, hn::IfThenElseZero(is_empty, fresh));
  group.next = hn::Or(group.next, hn::IfThenZeroElse(is_empty, fresh));
  const V filled = hn::And(hn::Sub(zero(), group.available), set(31));
  const V left = value << hn::Sub(set(32), bits), rest = left << hn::Sub(set(32), filled);
  const V word = hn::Or(group.pending, left >> filled);
  const M is_full = is_less(set(31), hn::Add(filled, bits));
  alignas(64) std::array<uint32_t, kWidth> slots, words;
  store(slots.data(), group.slot);
  store(words.data(), word);
  for (uint32_t lane = 0; lane < kWidth; ++lane) to[slots[lane]] = words[lane];
  group.pending = hn::IfThenElse(is_full, rest, word);
  group.slot = hn::IfThenElse(is_full, group.next, group.slot);
  group.next = hn::IfThenZeroElse(is_full, group.next);
  group.available = hn::Sub(hn::Add(group.available, hn::IfThenElseZero(takes, set(32))), bits);
}

HWY_INLINE V gather(const uint32_t* table, M active, V at) { return hn::IfThenElseZero(active, gathered(table, at)); }

// Encodes symbols, one a lane, from the states after them to those before. Bits that leave
// states precede those in `value`.
HWY_INLINE void encode(V packed, M active, V& state, V& value, V& bits) {
  const V frequency = hn::And(packed, set(0xffff)), base = hn::ShiftRight<16>(packed);
  const V divisor = gather(RansStep::kDivisors.data(), active, frequency);
  const V scale = hn::ShiftRight<RansStep::kScaleAt>(divisor);
  const M is_below = is_less(state, frequency << scale);
  V shift = hn::Sub(scale, set(kStateLog - kRansLog));
  shift = hn::Sub(shift, hn::IfThenElseZero(is_below, set(1)));
  shift = hn::IfThenElseZero(active, shift);
  const V kept = state >> shift;
  const V leaves = hn::Sub(state, kept << shift);
  value = hn::Or(value, leaves << bits);
  bits = hn::Add(bits, shift);
  const V reciprocal = hn::And(divisor, set((1u << RansStep::kScaleAt) - 1));
  const V quotient = hn::ShiftRight<RansStep::kReciprocalLog>(hn::Mul(kept, reciprocal));
  const V rest = hn::Sub(kept, product(quotient, frequency));
  const V before = hn::Or(hn::ShiftLeft<kRansLog>(quotient), hn::Add(base, rest));
  state = hn::IfThenElse(active, before, state);
}

HWY_INLINE void store_row(uint32_t* row, V value, V bits) {
  store(row, hn::Or(value, hn::ShiftLeft<kRowBitsAt>(bits)));
}

HWY_INLINE M active_lanes(const SequenceBatch& batch, uint32_t group) {
  return first_lanes(batch.count, group * kWidth);
}
// Lanes whose offset, of `bits` extra bits, has low bits in a table.
HWY_INLINE M lanes_with_low(const SequenceBatch& batch, V bits) {
  return is_less(set(batch.codes->low_bits - 1), bits);
}

HWY_INLINE uint32_t groups_of(uint32_t count) { return (count + kWidth - 1) / kWidth; }

void encode_symbols(const SequenceBatch& batch, uint32_t* states, SymbolRow* rows) {
  const CodedSequences& from = *batch.sequences;
  for (uint32_t group = 0; group < groups_of(batch.count); ++group) {
    const size_t first = size_t{group} * kWidth, at = batch.first + first;
    const M active = active_lanes(batch, group);
    V state = load(states + first);
    if (batch.has_low_bits()) {
      const M with_low = lanes_with_low(batch, load(from.offset_bits.items.get() + at, active));
      const V extra = load(from.offset_extra.items.get() + at, active);
      const V symbol = hn::And(extra, set((1u << batch.codes->low_bits) - 1));
      V value = zero(), bits = zero();
      encode(gather(batch.codes->packed[kLowBits].data(), with_low, symbol), with_low, state, value, bits);
      store_row(&rows[1][first], value, bits);
    }
    V value = zero(), bits = zero();
    for (uint32_t field = kLowBits; field-- != 0;) {
      const V symbol = load(from.symbols[field].items.get() + at, active);
      encode(gather(batch.codes->packed[field].data(), active, symbol), active, state, value, bits);
    }
    store_row(&rows[0][first], value, bits);
    store(states + first, state);
  }
}

void put_sequences(LaneQueues& queues, const SequenceBatch& batch, const SymbolRow* rows) {
  const CodedSequences& from = *batch.sequences;
  const uint32_t groups = groups_of(batch.count);
  std::array<Group, kGroups> lanes;
  std::array<V, kGroups> offset_bits, low_bits;
  uint32_t read = queues.read;
  const auto put_row = [&](uint32_t group, const SymbolRow& row, V need) HWY_ATTR {
    const V both = load(&row[size_t{group} * kWidth]);
    put(lanes[group], queues.words, read, need, hn::And(both, set((1u << kRowBitsAt) - 1)),
        hn::ShiftRight<kRowBitsAt>(both));
  };
  for (uint32_t group = 0; group < groups; ++group) {
    const M active = active_lanes(batch, group);
    lanes[group] = load(queues, group);
    offset_bits[group] = load(from.offset_bits.items.get() + batch.first + size_t{group} * kWidth, active);
    low_bits[group] = hn::IfThenElseZero(lanes_with_low(batch, offset_bits[group]), set(batch.codes->low_bits));
    put_row(group, rows[0], hn::IfThenElseZero(active, set(kLowBits * kRansLog)));
  }
  if (batch.has_low_bits())
    for (uint32_t group = 0; group < groups; ++group)
      put_row(group, rows[1], hn::IfThenElseZero(is_less(zero(), low_bits[group]), set(kRansLog)));
  for (uint32_t group = 0; group < groups; ++group) {
    const V low = low_bits[group], bits = hn::Sub(offset_bits[group], low);
    const V extra = load(from.offset_extra.items.get() + batch.first + size_t{group} * kWidth);
    put(lanes[group], queues.words, read, bits, hn::IfThenElseZero(active_lanes(batch, group), extra >> low), bits);
  }
  for (uint32_t group = 0; group < groups; ++group) {
    const size_t at = batch.first + size_t{group} * kWidth;
    const M active = active_lanes(batch, group);
    const V bits = load(from.length_bits.items.get() + at, active);
    put(lanes[group], queues.words, read, bits, load(from.length_extra.items.get() + at, active), bits);
    store(queues, group, lanes[group]);
  }
  queues.read = read;
}

void put_literals(LaneQueues& queues, const BlockLiterals& block, uint32_t first, uint32_t lanes_log) {
  std::array<Group, kGroups> lanes;
  for (uint32_t group = 0; group < kGroups; ++group) lanes[group] = load(queues, group);
  uint32_t read = queues.read;
  for (uint32_t count = 0; first < block.count; first += count) {
    count = literals_of_round(block.count - first, lanes_log);
    const uint32_t per_lane = literals_per_lane(count, lanes_log), steps = block.steps(first, count, lanes_log);
    const V apart = product(hn::Iota(kWords, 0), set(per_lane));
    for (uint32_t step = 0; step < steps; step += 2)
      for (uint32_t group = 0, begin = step; group < kGroups && begin < count; ++group, begin += kWidth * per_lane) {
        const V at = hn::Add(apart, set(begin));
        const M has_one = is_less(at, set(count)), has_two = is_less(at, set(count - 1));
        V one, two;
        if (block.bytes != nullptr) {
          const V bytes = gathered_halves(block.bytes + first, hn::IfThenElseZero(has_one, at));
          one = gather(block.codes, has_one, hn::And(bytes, set(255)));
          two = gather(block.codes, has_two, hn::And(hn::ShiftRight<8>(bytes), set(255)));
        } else {
          one = gather(block.codes + first, has_one, hn::IfThenElseZero(has_one, at));
          two = gather(block.codes + first, has_two, hn::IfThenElseZero(has_two, hn::Add(at, set(1))));
        }
        const V low = set(0xffff), of_two = hn::ShiftRight<16>(two);
        const V value = hn::Or(hn::And(one, low) << of_two, hn::And(two, low));
        const V longest = set(block.longest);
        const V need = hn::Add(hn::IfThenElseZero(has_one, longest), hn::IfThenElseZero(has_two, longest));
        put(lanes[group], queues.words, read, need, value, hn::Add(hn::ShiftRight<16>(one), of_two));
      }
  }
  queues.read = read;
  for (uint32_t group = 0; group < kGroups; ++group) store(queues, group, lanes[group]);
}

constexpr VectorSteps kSteps = {encode_symbols, put_sequences, put_literals};

}  // namespace weft::gstd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if !defined(WEFT_GSTD_VECTORS) || HWY_ONCE
namespace weft::gstd {

const VectorSteps* vector_steps(Vectors most) {
  static constexpr const VectorSteps* kOfEach[] = WEFT_GSTD_OF_EACH(kSteps);
  return kOfEach[static_cast<size_t>(usable_vectors(most))];
}

}  // namespace weft::gstd
#endif
