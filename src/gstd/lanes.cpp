// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/lanes.hpp"

#include <algorithm>
#include <type_traits>

#include "gstd/vectors.hpp"

#if defined(WEFT_GSTD_VECTORS)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gstd/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gstd/vectors_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::gstd::HWY_NAMESPACE {

// A vector of lanes.
struct Group {
  V high, low;  // of queues
  V bits, state;
};

HWY_INLINE Group load(const Lanes& lanes, uint32_t first) {
  return {hn::Load(kWords, &lanes.high[first]), hn::Load(kWords, &lanes.low[first]),
          hn::Load(kWords, &lanes.bits[first]), hn::Load(kWords, &lanes.state[first])};
}
HWY_INLINE void store_queues(Lanes& lanes, uint32_t first, const Group& group) {
  hn::Store(group.high, kWords, &lanes.high[first]);
  hn::Store(group.low, kWords, &lanes.low[first]);
  hn::Store(group.bits, kWords, &lanes.bits[first]);
}
HWY_INLINE void store(Lanes& lanes, uint32_t first, const Group& group) {
  store_queues(lanes, first, group);
  hn::Store(group.state, kWords, &lanes.state[first]);
}

// Lanes that take no word need 0 bits.
HWY_INLINE void refill(Group& group, V need, const uint32_t*& next) {
  const M takes = is_less(group.bits, need);
  const Moved words = moved_up<1>(expanded(hn::LoadU(kWords, next), takes), hn::Sub(set(31), group.bits));
  next += count_of(takes);
  group.high = hn::Or(group.high, words.high);
  group.low = hn::Or(group.low, words.low);
  group.bits = hn::Add(group.bits, hn::IfThenElseZero(takes, set(32)));
}

// The next 32 bits of queues, without those that were taken, and how many were.
struct Window {
  V bits, taken;
};
HWY_INLINE Window window_of(const Group& group) { return {group.high, zero()}; }
HWY_INLINE void drop(Group& group, const Window& window) {
  const Moved low = moved_up<0>(group.low, window.taken);
  group.high = hn::Or(window.bits, low.high);
  group.low = low.low;
  group.bits = hn::Sub(group.bits, window.taken);
}
// Lanes that take no bits have count 0.
HWY_INLINE V take(Window& window, V count) {
  const Moved moved = moved_up<0>(window.bits, count);
  window = {moved.low, hn::Add(window.taken, count)};
  return moved.high;
}

// The state after a symbol of `frequency` at `offset` in its slots.
HWY_INLINE void step(V& state, Window& window, V active, V frequency, V offset) {
  const V after = hn::Add(product(frequency, hn::ShiftRight<kRansLog>(state)), offset);
  // States are exact as floats: the exponent is the highest bit's position.
  const auto as_float = hn::ConvertTo(hn::RebindToFloat<D>(), hn::BitCast(hn::RebindToSigned<D>(), after));
  const V exponent = hn::ShiftRight<23>(hn::BitCast(kWords, as_float));
  const V shift = hn::And(active, hn::Sub(set(127 + kStateLog), exponent));
  const V bits = take(window, shift);
  state = hn::IfVecThenElse(active, hn::Or(shifted_left(after, shift), bits), state);
}

// The values of the active lanes' symbols.
HWY_INLINE V symbol(V& state, Window& window, V active, const SlotTable& table) {
  const V slot = hn::And(state, set(kRansSlots - 1));
  const Pairs<D> found = gathered(kWords, &table[0].packed, slot);
  step(state, window, active, found.first, hn::ShiftRight<16>(found.first));
  return found.second;
}

const uint32_t* read_lengths(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                             const LengthSlots* models, bool by_length, CodeLengths& lengths) {
  const uint32_t all_lanes = 1u << lanes_log, steps = 256u >> lanes_log;
  const V model_of_length = set(by_length ? ~0u : 0u);
  alignas(64) std::array<uint32_t, kMaxLanes> previous;
  previous.fill(kNoLength);
  alignas(64) std::array<std::array<uint32_t, kMaxLanes>, 8> words;  // four lengths of each lane
  // Lanes take words in every third step only.
  for (uint32_t first = 0; first < steps; first += 3) {
    const uint32_t behind = std::min(first + 3, steps);
    for (uint32_t l = 0; l < all_lanes; l += kWidth) {
      const V active = hn::VecFromMask(kWords, first_lanes(all_lanes, l));
      Group group = load(lanes, l);
      refill(group, hn::And(active, set(kRansLog * (behind - first))), next);
      Window window = window_of(group);
      V length = hn::Load(kWords, &previous[l]);
      for (uint32_t number = first; number < behind; ++number) {
        const V slot = hn::And(group.state, set(kRansSlots - 1));
        const V model = hn::And(length, model_of_length);
        const V code = gathered(models[0].data(), hn::Or(hn::ShiftLeft<kRansLog>(model), slot));
        step(group.state, window, active, code,
             hn::And(hn::ShiftRight<LengthSlot::kOffsetAt>(code), set(kRansSlots - 1)));
        length = hn::ShiftRight<LengthSlot::kLengthAt>(code);
        uint32_t* const word = &words[number / 4][l];
        const V before = number % 4 == 0 ? zero() : hn::Load(kWords, word);
        hn::Store(hn::Or(before, shifted_left(length, set(8 * (number % 4)))), kWords, word);
      }
      hn::Store(length, kWords, &previous[l]);
      drop(group, window);
      store(lanes, l, group);
    }
    if (next > end) return next;
  }
  for (uint32_t l = 0; l < all_lanes; ++l)
    for (uint32_t word = 0; word < steps / 4; ++word) std::memcpy(&lengths[l * steps + 4 * word], &words[word][l], 4);
  return next;
}

const uint32_t* read_weights(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                             const WeightBases& bases, uint32_t count, uint32_t* weights) {
  const uint32_t all_lanes = 1u << lanes_log, at_once = std::min(kWidth, all_lanes);
  for (uint32_t first = 0; first < count && next <= end; first += at_once) {
    const uint32_t lane = first & (all_lanes - 1);
    Group group = load(lanes, lane);
    const V active = hn::VecFromMask(kWords, first_lanes(std::min(count - first, at_once), 0));
    refill(group, hn::And(active, set(kRansLog + kWeightBits)), next);
    const V slot = hn::And(group.state, set(kRansSlots - 1));
    V found = zero(), begin = zero(), behind = set(kRansSlots);
    for (uint32_t weight_class = 1; weight_class < kWeightClasses; ++weight_class) {
      const V base = hn::PromoteTo(kWords, hn::LoadU(hn::Rebind<uint16_t, D>(), &bases[weight_class][first]));
      const M is_above = is_less(slot, base);
      found = hn::Add(found, hn::IfThenZeroElse(is_above, set(1)));
      begin = hn::IfThenElse(is_above, begin, base);
      behind = hn::IfThenElse(is_above, hn::Min(behind, base), behind);
    }
    Window window = window_of(group);
    step(group.state, window, active, hn::Sub(behind, begin), hn::Sub(slot, begin));
    const V extra_bits = hn::Min(hn::Sub(hn::Max(found, set(2)), set(2)), set(kWeightBits));
    const V extra = take(window, hn::And(active, extra_bits));
    drop(group, window);
    hn::StoreU(hn::Or(found, hn::ShiftLeft<8>(extra)), kWords, weights + first);
    store(lanes, lane, group);
  }
  return next;
}

// `all`: whether all lanes have a sequence.
template <bool all>
HWY_INLINE const uint32_t* read_batch(Lanes& lanes, const uint32_t* next, const uint32_t* end,
                                      const std::array<SlotTable, kFields>& fields, uint32_t low_bits, uint32_t count,
                                      uint32_t* literals, uint32_t* match, uint32_t* offset) {
  const V base_bits = set(0xffffff);
  const uint32_t behind = all ? kMaxLanes : count;
  const auto active_of = [&](uint32_t first)
                             HWY_ATTR { return all ? set(~0u) : hn::VecFromMask(kWords, first_lanes(count, first)); };
  // Several groups side by side: a group's steps wait for each other.
  constexpr uint32_t kAtOnce = !all ? 1 : kWidth == 16 ? 2 : 4;
  for (uint32_t first = 0; first < behind; first += kAtOnce * kWidth) {
    Group group[kAtOnce];
    Window window[kAtOnce];
    V active[kAtOnce];
    for (uint32_t g = 0, l = first; g < kAtOnce; ++g, l += kWidth) {
      group[g] = load(lanes, l);
      active[g] = active_of(l);
      refill(group[g], hn::And(active[g], set(3 * kRansLog)), next);
      window[g] = window_of(group[g]);
    }
    const auto read = [&](Field field, uint32_t* to) HWY_ATTR {
      for (uint32_t g = 0; g < kAtOnce; ++g)
        hn::StoreU(symbol(group[g].state, window[g], active[g], fields[field]), kWords, to + first + g * kWidth);
    };
    read(kLiteralLength, literals);
    read(kOffset, offset);
    read(kMatchLength, match);
    for (uint32_t g = 0, l = first; g < kAtOnce; ++g, l += kWidth) {
      drop(group[g], window[g]);
      store(lanes, l, group[g]);
    }
  }
  if (next > end) return next;
  V low[kGroups];
  if (low_bits != 32) {
    for (uint32_t l = 0; l < behind; l += kWidth) {
      Group group = load(lanes, l);
      const V symbols = hn::ShiftRight<24>(hn::LoadU(kWords, offset + l));
      const V has_low = hn::And(active_of(l), hn::VecFromMask(kWords, is_less(set(low_bits - 1), symbols)));
      refill(group, hn::And(has_low, set(kRansLog)), next);
      Window window = window_of(group);
      low[l / kWidth] = hn::And(has_low, symbol(group.state, window, has_low, fields[kLowBits]));
      drop(group, window);
      store(lanes, l, group);
    }
    if (next > end) return next;
  }
  for (uint32_t l = 0; l < behind; l += kWidth) {
    Group group = load(lanes, l);
    const V symbols = hn::LoadU(kWords, offset + l);
    V bits = hn::And(active_of(l), hn::ShiftRight<24>(symbols)), dropped = zero();
    if (low_bits != 32) {
      dropped = hn::IfThenElseZero(is_less(set(low_bits - 1), bits), set(low_bits));
      bits = hn::Sub(bits, dropped);
    }
    refill(group, bits, next);
    Window window = window_of(group);
    V value = take(window, bits);
    if (low_bits != 32) value = hn::Or(shifted_left(value, dropped), low[l / kWidth]);
    drop(group, window);
    store_queues(lanes, l, group);
    hn::StoreU(hn::Add(hn::And(symbols, base_bits), value), kWords, offset + l);
  }
  if (next > end) return next;
  for (uint32_t l = 0; l < behind; l += kWidth) {
    Group group = load(lanes, l);
    const V active = active_of(l), of_literals = hn::LoadU(kWords, literals + l),
            of_match = hn::LoadU(kWords, match + l);
    const V literal_bits = hn::And(active, hn::ShiftRight<24>(of_literals));
    const V match_bits = hn::And(active, hn::ShiftRight<24>(of_match));
    refill(group, hn::Add(literal_bits, match_bits), next);
    Window window = window_of(group);
    hn::StoreU(hn::Add(hn::And(of_literals, base_bits), take(window, literal_bits)), kWords, literals + l);
    hn::StoreU(hn::Add(hn::And(of_match, base_bits), take(window, match_bits)), kWords, match + l);
    drop(group, window);
    store_queues(lanes, l, group);
  }
  return next;
}

const uint32_t* read_sequences(Lanes& lanes, const uint32_t* next, const uint32_t* end,
                               const std::array<SlotTable, kFields>& fields, uint32_t low_bits, uint32_t first,
                               uint32_t count, Sequences& sequences) {
  const auto read = count == kMaxLanes ? read_batch<true> : read_batch<false>;
  return read(lanes, next, end, fields, low_bits, count, &sequences.literals[first], &sequences.match[first],
              &sequences.offset[first]);
}

#if HWY_TARGET == HWY_SSE4
// SSE4 has no shifts by lane: vectors refill queues, and literals are decoded lane by lane.
template <LiteralSource source>
struct LiteralQueues {
  using Entry = LiteralTable::Entry;
  static constexpr uint32_t kLongest = source == LiteralSource::plain ? 8 : kMaxCodeLength;

  alignas(64) std::array<uint64_t, kMaxLanes> fifo;
  alignas(64) std::array<uint32_t, kMaxLanes> bits;
  alignas(64) std::array<uint32_t, kMaxLanes> words, shift;  // words that lanes take, or 0, and where they begin
  std::array<Entry, kMaxLanes> previous;

  explicit LiteralQueues(const Lanes& lanes) : bits(lanes.bits) {
    for (uint32_t l = 0; l < kMaxLanes; ++l) fifo[l] = lanes.fifo(l);
  }
  void store(Lanes& lanes) const {
    lanes.bits = bits;
    for (uint32_t l = 0; l < kMaxLanes; ++l) lanes.set_fifo(l, fifo[l]);
  }
  HWY_INLINE void refill(uint32_t first, V need, const uint32_t*& next) {
    const V before = hn::Load(kWords, &bits[first]);
    const M takes = is_less(before, need);
    hn::Store(expanded(hn::LoadU(kWords, next), takes), kWords, &words[first]);
    next += count_of(takes);
    hn::Store(hn::Sub(set(32), before), kWords, &shift[first]);
    hn::Store(hn::Add(before, hn::IfThenElseZero(takes, set(32))), kWords, &bits[first]);
  }
  static HWY_INLINE Entry next_literal(uint64_t& queue, const LiteralTable* tables, [[maybe_unused]] Entry before) {
    Entry entry = Entry::of(static_cast<uint32_t>(queue >> 56), 8, 0);
    if constexpr (source != LiteralSource::plain)
      entry = (source == LiteralSource::by_context ? tables[before.next()] : *tables)
                  .entries[queue >> (64 - kMaxCodeLength)];
    queue <<= entry.packed & 63;
    return entry;
  }
  // The next `count` literals of a lane.
  template <uint32_t count>
  HWY_INLINE void decode(uint32_t lane, const LiteralTable* tables, uint8_t* to) {
    uint64_t queue = fifo[lane] | uint64_t{words[lane]} << (shift[lane] & 63);
    Entry entry = previous[lane];
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; ++i) {
      entry = next_literal(queue, tables, entry);
      used += entry.packed;
      to[i] = static_cast<uint8_t>(entry.symbol());
    }
    fifo[lane] = queue;
    bits[lane] -= used & 31;
    if constexpr (source == LiteralSource::by_context) previous[lane] = entry;
  }
};

template <LiteralSource source>
const uint32_t* read_literals(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                              const LiteralTable* tables, uint32_t first_table, size_t count, bool last, uint8_t* to) {
  using Queues = LiteralQueues<source>;
  Queues queues(lanes);
  while (count != 0) {
    const uint32_t round = literals_of_round(count, lanes_log);
    const uint32_t per_lane = literals_per_lane(round, lanes_log);
    const bool is_full = round == per_lane << lanes_log;
    // How many lanes have literal number `number`.
    const auto lanes_with = [&](uint32_t number) {
      return is_full ? 1u << lanes_log : round <= number ? 0 : (round - number - 1) / per_lane + 1;
    };
    queues.previous.fill({static_cast<uint16_t>(first_table << LiteralTable::Entry::kNextAt)});
    const uint32_t steps = per_lane - (last && round == count ? exact_steps_of(per_lane) : 0);
    for (uint32_t step = 0; step < steps; step += 2) {
      const uint32_t with_any = lanes_with(step), with_two = lanes_with(step + 1);
      uint32_t l = 0;
      for (; l + kWidth <= with_two; l += kWidth) queues.refill(l, set(2 * Queues::kLongest), next);
      for (; l < with_any; l += kWidth) {
        const V one = hn::IfThenElseZero(first_lanes(with_any, l), set(Queues::kLongest));
        const V two = hn::IfThenElseZero(first_lanes(with_two, l), set(Queues::kLongest));
        queues.refill(l, hn::Add(one, two), next);
      }
      uint8_t* at = to + step;
      for (l = 0; l + 4 <= with_two; l += 4)
        for (uint32_t lane = l; lane < l + 4; ++lane, at += per_lane) queues.template decode<2>(lane, tables, at);
      for (; l < with_two; ++l, at += per_lane) queues.template decode<2>(l, tables, at);
      for (; l < with_any; ++l, at += per_lane) queues.template decode<1>(l, tables, at);
      if (next > end) return next;
    }
    to += round;
    count -= round;
  }
  queues.store(lanes);
  return next;
}
#else
// The entries of the next literals of the lanes of `active`, which has all bits of a lane or none. `previous`: those of
// the literals before.
template <LiteralSource source>
HWY_INLINE V literal(Window& window, V active, const LiteralTable* tables, [[maybe_unused]] V previous) {
  using Entry = LiteralTable::Entry;
  if constexpr (source == LiteralSource::plain)
    return hn::ShiftLeft<Entry::kSymbolAt>(take(window, hn::And(active, set(8))));
  V at = hn::ShiftRight<32 - kMaxCodeLength>(window.bits);
  if constexpr (source == LiteralSource::by_context) {
    const V table = hn::And(hn::ShiftRight<Entry::kNextAt>(previous), set(3));
    at = hn::Add(at, product(table, set(sizeof(LiteralTable) / sizeof(Entry))));
  }
  const V entry = gathered_halves(&tables->entries[0].packed, at);
  const V length = hn::And(hn::And(entry, set(15)), active);
  window = {shifted_left(window.bits, length), hn::Add(window.taken, length)};
  return entry;
}

// Groups whose literals are decoded side by side: a group's steps wait for each other.
constexpr uint32_t kAtOnce = kWidth == 16 ? 2 : 4;
template <uint32_t n>
using Constant = std::integral_constant<uint32_t, n>;

template <LiteralSource source>
const uint32_t* read_literals(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                              const LiteralTable* tables, uint32_t first_table, size_t count, bool last, uint8_t* to) {
  constexpr uint32_t kLongest = source == LiteralSource::plain ? 8 : kMaxCodeLength;
  const uint32_t all_lanes = 1u << lanes_log, groups = (all_lanes + kWidth - 1) / kWidth;
  const V symbols = set(0xff << LiteralTable::Entry::kSymbolAt);

  while (count != 0) {
    const uint32_t round = literals_of_round(count, lanes_log);
    const uint32_t per_lane = literals_per_lane(round, lanes_log);
    const bool is_full = round == per_lane << lanes_log;
    // How many lanes have literal number `number`.
    const auto lanes_with = [&](uint32_t number) {
      return is_full ? all_lanes : round <= number ? 0 : (round - number - 1) / per_lane + 1;
    };
    alignas(64) std::array<uint32_t, kMaxLanes> previous;
    previous.fill(first_table << LiteralTable::Entry::kNextAt);
    const uint32_t steps = per_lane - (last && round == count ? exact_steps_of(per_lane) : 0);
    for (uint32_t word = 0; word < steps; word += 4) {
      alignas(64) std::array<uint32_t, kMaxLanes> words;  // four literals of each lane
      for (uint32_t step = 0; step < 4; step += 2) {
        const uint32_t with_any = lanes_with(word + step), with_two = lanes_with(word + step + 1);
        const auto two = [&]<uint32_t at_once>(Constant<at_once>, uint32_t l, V has_one, V has_two) HWY_ATTR {
          Group group[at_once];
          Window window[at_once];
          V one[at_once], other[at_once];
          const V need = hn::Add(hn::And(has_one, set(kLongest)), hn::And(has_two, set(kLongest)));
          for (uint32_t g = 0; g < at_once; ++g) {
            group[g] = load(lanes, l + g * kWidth);
            refill(group[g], need, next);
            window[g] = window_of(group[g]);
          }
          for (uint32_t g = 0; g < at_once; ++g)
            one[g] = literal<source>(window[g], has_one, tables, hn::Load(kWords, &previous[l + g * kWidth]));
          for (uint32_t g = 0; g < at_once; ++g) other[g] = literal<source>(window[g], has_two, tables, one[g]);
          for (uint32_t g = 0; g < at_once; ++g) {
            const uint32_t first = l + g * kWidth;
            drop(group[g], window[g]);
            store_queues(lanes, first, group[g]);
            if (source == LiteralSource::by_context) hn::Store(other[g], kWords, &previous[first]);
            V both = hn::Or(hn::ShiftRight<8>(hn::And(one[g], symbols)), hn::And(other[g], symbols));
            if (step != 0) both = hn::Or(hn::Load(kWords, &words[first]), hn::ShiftLeft<16>(both));
            hn::Store(both, kWords, &words[first]);
          }
        };
        uint32_t l = 0;
        for (; l + kAtOnce * kWidth <= with_two; l += kAtOnce * kWidth) two(Constant<kAtOnce>(), l, set(~0u), set(~0u));
        for (; l < with_any; l += kWidth)
          two(Constant<1>(), l, hn::VecFromMask(kWords, first_lanes(with_any, l)),
              hn::VecFromMask(kWords, first_lanes(with_two, l)));
        if (next > end) return next;
      }
      // Of lanes without literals too: after the last literal is room.
      const uint32_t with_word = std::min((lanes_with(word) + kWidth - 1) / kWidth, groups) * kWidth;
      uint8_t* at = to + word;
      for (uint32_t lane = 0; lane < with_word; ++lane, at += per_lane) std::memcpy(at, &words[lane], 4);
    }
    to += round;
    count -= round;
  }
  return next;
}
#endif

constexpr VectorLanes kLanes = {read_lengths,
                                read_weights,
                                read_sequences,
                                {read_literals<LiteralSource::plain>, read_literals<LiteralSource::one_table>,
                                 read_literals<LiteralSource::by_context>}};

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
