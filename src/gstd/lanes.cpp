// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/lanes.hpp"

#include <algorithm>

#include "gstd/vectors.hpp"

#if defined(WEFT_GSTD_VECTORS)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gstd/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gstd/vectors_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::gstd::HWY_NAMESPACE {

// A vector of lanes. Shifts by 64 or more give 0 on every processor here.
struct Group {
  V64 even, odd;  // queues
  V bits, state;
};

HWY_INLINE Group load(const Lanes& lanes, uint32_t first) {
  const uint64_t* const fifo = &lanes.fifo[first / 2];
  return {hn::Load(kWide, fifo), hn::Load(kWide, fifo + kMaxLanes / 2), hn::Load(kWords, &lanes.bits[first]),
          hn::Load(kWords, &lanes.state[first])};
}
HWY_INLINE void store(Lanes& lanes, uint32_t first, const Group& group) {
  uint64_t* const fifo = &lanes.fifo[first / 2];
  hn::Store(group.even, kWide, fifo);
  hn::Store(group.odd, kWide, fifo + kMaxLanes / 2);
  hn::Store(group.bits, kWords, &lanes.bits[first]);
  hn::Store(group.state, kWords, &lanes.state[first]);
}

// Lanes that take no word need 0 bits.
HWY_INLINE void refill(Group& group, V need, const uint32_t*& next) {
  const M takes = is_less(group.bits, need);
  const V64 words = hn::BitCast(kWide, expanded(hn::LoadU(kWords, next), takes));
  next += count_of(takes);
  const V64 high = hn::Set(kWide, ~uint64_t{0xffffffff});
  group.even = hn::Or(group.even, hn::ShiftLeft<32>(words) >> even(group.bits));
  group.odd = hn::Or(group.odd, hn::And(words, high) >> odd(group.bits));
  group.bits = hn::Add(group.bits, hn::IfThenElseZero(takes, set(32)));
}

HWY_INLINE void drop(Group& group, V count) {
  group.even = group.even << even(count);
  group.odd = group.odd << odd(count);
  group.bits = hn::Sub(group.bits, count);
}

// Lanes that take no bits have count 0.
HWY_INLINE V take(Group& group, V count) {
  const V64 all = hn::Set(kWide, 64);
  const V value = joined(group.even >> hn::Sub(all, even(count)), group.odd >> hn::Sub(all, odd(count)));
  drop(group, count);
  return value;
}

// The state after a symbol of `frequency` at `offset` in its slots.
HWY_INLINE void step(Group& group, M active, V frequency, V offset) {
  const V state = hn::Add(product(frequency, hn::ShiftRight<kRansLog>(group.state)), offset);
  // States are exact as floats: the exponent is the highest bit's position.
  const auto as_float = hn::ConvertTo(hn::RebindToFloat<D>(), hn::BitCast(hn::RebindToSigned<D>(), state));
  const V exponent = hn::ShiftRight<23>(hn::BitCast(kWords, as_float));
  const V shift = hn::IfThenElseZero(active, hn::Sub(set(127 + kStateLog), exponent));
  const V bits = take(group, shift);
  group.state = hn::IfThenElse(active, hn::Or(state << shift, bits), group.state);
}

// The values of the active lanes' symbols.
HWY_INLINE V symbol(Group& group, M active, const SlotTable& table) {
  const V slot = hn::And(group.state, set(kRansSlots - 1));
  const uint64_t* const slots = &table[0].packed;
  const V64 of_even = gathered(slots, even(slot)), of_odd = gathered(slots, odd(slot));
  const V codes = hn::OddEven(hn::BitCast(kWords, hn::ShiftLeft<32>(of_odd)), hn::BitCast(kWords, of_even));
  const V values = hn::OddEven(hn::BitCast(kWords, of_odd), hn::BitCast(kWords, hn::ShiftRight<32>(of_even)));
  step(group, active, codes, hn::ShiftRight<16>(codes));
  return values;
}

const uint32_t* read_weights(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                             const WeightBases& bases, uint32_t count, uint32_t* weights) {
  const uint32_t all_lanes = 1u << lanes_log, at_once = std::min(kWidth, all_lanes);
  for (uint32_t first = 0; first < count && next <= end; first += at_once) {
    const uint32_t lane = first & (all_lanes - 1);
    Group group = load(lanes, lane);
    const M active = first_lanes(std::min(count - first, at_once), 0);
    refill(group, hn::IfThenElseZero(active, set(kRansLog + kWeightBits)), next);
    const V slot = hn::And(group.state, set(kRansSlots - 1));
    V found = zero(), begin = zero(), behind = set(kRansSlots);
    for (uint32_t weight_class = 1; weight_class < kWeightClasses; ++weight_class) {
      const V base = hn::PromoteTo(kWords, hn::LoadU(hn::Rebind<uint16_t, D>(), &bases[weight_class][first]));
      const M is_above = is_less(slot, base);
      found = hn::Add(found, hn::IfThenZeroElse(is_above, set(1)));
      begin = hn::IfThenElse(is_above, begin, base);
      behind = hn::IfThenElse(is_above, hn::Min(behind, base), behind);
    }
    step(group, active, hn::Sub(behind, begin), hn::Sub(slot, begin));
    const V extra_bits = hn::Min(hn::Sub(hn::Max(found, set(2)), set(2)), set(kWeightBits));
    const V extra = take(group, hn::IfThenElseZero(active, extra_bits));
    hn::StoreU(hn::Or(found, hn::ShiftLeft<8>(extra)), kWords, weights + first);
    store(lanes, lane, group);
  }
  return next;
}

const uint32_t* read_sequences(Lanes& lanes, const uint32_t* next, const uint32_t* end,
                               const std::array<SlotTable, kFields>& fields, uint32_t low_bits, uint32_t first,
                               uint32_t count, Sequences& sequences) {
  const V base_bits = set(0xffffff);
  const uint32_t groups = (count + kWidth - 1) / kWidth;
  Group group[kGroups];
  V literals[kGroups], match[kGroups], offset[kGroups], low[kGroups], drops_low[kGroups];
  M active[kGroups];
  for (uint32_t g = 0; g < groups; ++g) {
    group[g] = load(lanes, g * kWidth);
    active[g] = first_lanes(count, g * kWidth);
    refill(group[g], hn::IfThenElseZero(active[g], set(3 * kRansLog)), next);
    literals[g] = symbol(group[g], active[g], fields[kLiteralLength]);
    offset[g] = symbol(group[g], active[g], fields[kOffset]);
    match[g] = symbol(group[g], active[g], fields[kMatchLength]);
    low[g] = drops_low[g] = zero();
  }
  if (next > end) return next;
  if (low_bits != 32) {
    for (uint32_t g = 0; g < groups; ++g) {
      const M has_low = hn::And(active[g], is_less(set(low_bits - 1), hn::ShiftRight<24>(offset[g])));
      refill(group[g], hn::IfThenElseZero(has_low, set(kRansLog)), next);
      low[g] = hn::IfThenElseZero(has_low, symbol(group[g], has_low, fields[kLowBits]));
      drops_low[g] = hn::IfThenElseZero(has_low, set(low_bits));
    }
    if (next > end) return next;
  }
  for (uint32_t g = 0; g < groups; ++g) {
    const V bits = hn::IfThenElseZero(active[g], hn::Sub(hn::ShiftRight<24>(offset[g]), drops_low[g]));
    refill(group[g], bits, next);
    const V value = hn::Or(take(group[g], bits) << drops_low[g], low[g]);
    hn::StoreU(hn::Add(hn::And(offset[g], base_bits), value), kWords, &sequences.offset[first + g * kWidth]);
  }
  if (next > end) return next;
  for (uint32_t g = 0; g < groups; ++g) {
    const V literal_bits = hn::IfThenElseZero(active[g], hn::ShiftRight<24>(literals[g]));
    const V match_bits = hn::IfThenElseZero(active[g], hn::ShiftRight<24>(match[g]));
    refill(group[g], hn::Add(literal_bits, match_bits), next);
    hn::StoreU(hn::Add(hn::And(literals[g], base_bits), take(group[g], literal_bits)), kWords,
               &sequences.literals[first + g * kWidth]);
    hn::StoreU(hn::Add(hn::And(match[g], base_bits), take(group[g], match_bits)), kWords,
               &sequences.match[first + g * kWidth]);
    store(lanes, g * kWidth, group[g]);
  }
  return next;
}

// Decodes the next literal of each lane of `active`, which has all bits of a lane or none. Returns entries.
// `previous`: those of the literals before.
template <LiteralSource source>
HWY_INLINE V literal(Group& group, V active, const LiteralTable* tables, [[maybe_unused]] V previous) {
  if constexpr (source == LiteralSource::plain)
    return hn::ShiftLeft<LiteralTable::Entry::kSymbolAt>(take(group, hn::And(active, set(8))));
  // In bytes, of two an entry.
  constexpr int kUnread = 63 - static_cast<int>(kMaxCodeLength);
  const V bits = hn::OddEven(hn::BitCast(kWords, hn::ShiftRight<kUnread - 32>(group.odd)),
                             hn::BitCast(kWords, hn::ShiftRight<kUnread>(group.even)));
  V at = hn::And(bits, set(2 * ((1u << kMaxCodeLength) - 1)));
  if constexpr (source == LiteralSource::by_context) {
    constexpr uint32_t kOne = 1u << LiteralTable::Entry::kNextAt;
    static_assert(sizeof(LiteralTable) % kOne == 0);
    at = hn::Add(at, product(hn::And(previous, set(3 * kOne)), set(sizeof(LiteralTable) / kOne)));
  }
  const V entry = gathered_halves(tables->entries.data(), at);
  drop(group, hn::And(hn::And(entry, set(15)), active));
  return entry;
}

template <LiteralSource source>
const uint32_t* read_literals(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                              const LiteralTable* tables, uint32_t first_table, size_t count, bool last, uint8_t* to) {
  constexpr uint32_t kLongest = source == LiteralSource::plain ? 8 : kMaxCodeLength;
  const uint32_t groups = ((1u << lanes_log) + kWidth - 1) / kWidth;
  const V symbols = set(0xff << LiteralTable::Entry::kSymbolAt);
  Group group[kGroups];
  for (uint32_t g = 0; g < groups; ++g) group[g] = load(lanes, g * kWidth);

  while (count != 0) {
    const uint32_t round = literals_of_round(count, lanes_log);
    const uint32_t per_lane = literals_per_lane(round, lanes_log);
    V previous[kGroups];
    for (V& of : previous) of = set(first_table << LiteralTable::Entry::kNextAt);
    const uint32_t steps = per_lane - (last && round == count ? exact_steps_of(per_lane) : 0);
    for (uint32_t word = 0; word < steps; word += 4) {
      V words[kGroups];  // four literals of each lane
      for (uint32_t step = 0; step < 4; step += 2) {
        const uint32_t at = word + step;
        const uint32_t with_two = round < at + 2 ? 0 : (round - at - 2) / per_lane + 1;
        const uint32_t with_any = round < at + 1 ? 0 : (round - at - 1) / per_lane + 1;
        const auto two = [&](uint32_t g, V has_one, V has_two) HWY_ATTR {
          const V need = hn::Add(hn::And(has_one, set(kLongest)), hn::And(has_two, set(kLongest)));
          refill(group[g], need, next);
          const V one = literal<source>(group[g], has_one, tables, previous[g]);
          previous[g] = literal<source>(group[g], has_two, tables, one);
          const V both = hn::Or(hn::ShiftRight<8>(hn::And(one, symbols)), hn::And(previous[g], symbols));
          words[g] = step == 0 ? both : hn::Or(words[g], hn::ShiftLeft<16>(both));
        };
        uint32_t g = 0;
        for (; g < groups && (g + 1) * kWidth <= with_two; ++g) two(g, set(~0u), set(~0u));
        for (; g < groups && g * kWidth < with_any; ++g)
          two(g, hn::VecFromMask(kWords, first_lanes(with_any, g * kWidth)),
              hn::VecFromMask(kWords, first_lanes(with_two, g * kWidth)));
        if (next > end) return next;
      }
      const uint32_t with_word = round < word + 1 ? 0 : (round - word - 1) / per_lane + 1;
      for (uint32_t g = 0; g < groups && g * kWidth < with_word; ++g) {
        alignas(64) std::array<uint32_t, kWidth> of_lane;
        hn::Store(words[g], kWords, of_lane.data());
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

constexpr VectorLanes kLanes = [] {
  VectorLanes lanes{read_weights, read_sequences, {}};
  // SSE4 has no gathers and shifts all lanes alike: literals take longer than one by one.
  if constexpr (HWY_TARGET != HWY_SSE4)
    lanes.read_literals = {read_literals<LiteralSource::plain>, read_literals<LiteralSource::one_table>,
                           read_literals<LiteralSource::by_context>};
  return lanes;
}();

}  // namespace weft::gstd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if !defined(WEFT_GSTD_VECTORS) || HWY_ONCE
namespace weft::gstd {

const VectorLanes* vector_lanes(Vectors most) {
  static constexpr const VectorLanes* kOfEach[] = WEFT_GSTD_OF_EACH(kLanes);
  return kOfEach[static_cast<size_t>(usable_vectors(most))];
}

}  // namespace weft::gstd
#endif
