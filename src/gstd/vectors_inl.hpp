// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Vectors of lanes, for the set of instructions that a source is being compiled for: included again for each.
#if defined(WEFT_GSTD_VECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_GSTD_VECTORS_INL
#undef WEFT_GSTD_VECTORS_INL
#else
#define WEFT_GSTD_VECTORS_INL
#endif

#include <array>
#include <cstdint>
#include <cstring>

#include "gstd/format.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::gstd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Words, one a lane, and pairs of words.
using D = hn::ScalableTag<uint32_t>;
using Wide = hn::RepartitionToWide<D>;
using Bytes = hn::Rebind<uint8_t, D>;
using V = hn::Vec<D>;
using V64 = hn::Vec<Wide>;
using M = hn::Mask<D>;
constexpr D kWords;
constexpr Wide kWide;
constexpr uint32_t kWidth = hn::MaxLanes(D()), kGroups = kMaxLanes / kWidth;
static_assert(kWidth == 4 || kWidth == 8 || kWidth == 16);

HWY_INLINE V set(uint32_t value) { return hn::Set(kWords, value); }
HWY_INLINE V zero() { return hn::Zero(kWords); }
/// Signed, which more processors have: no number here has its highest bit.
HWY_INLINE M is_less(V a, V b) {
  const hn::RebindToSigned<D> of;
  return hn::RebindMask(kWords, hn::Lt(hn::BitCast(of, a), hn::BitCast(of, b)));
}
/// The lanes below `count` of a group; `first` is its first lane.
HWY_INLINE M first_lanes(uint32_t count, uint32_t first) {
  return hn::FirstN(kWords, count <= first ? 0 : count - first < kWidth ? count - first : kWidth);
}
HWY_INLINE uint32_t bits_of(M mask) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(kWords, mask, bytes);
  return kWidth == 16 ? bytes[0] | uint32_t{bytes[1]} << 8 : bytes[0];
}
HWY_INLINE uint32_t count_of(M mask) { return static_cast<uint32_t>(hn::CountTrue(kWords, mask)); }

/// Factors and product below 2^16; bits of `a` from 16 on do not matter.
HWY_INLINE V product(V a, V b) {
  const hn::Repartition<uint16_t, D> halves;
  return hn::BitCast(kWords, hn::Mul(hn::BitCast(halves, a), hn::BitCast(halves, b)));
}

#if HWY_TARGET == HWY_SSE4
/// By `count` from 0 to 31: 2^count. Highway's conversion would change 2^31.
HWY_INLINE V power_of_two(V count) {
  const V as_float = hn::Add(hn::ShiftLeft<23>(count), set(127u << 23));
  return V{_mm_cvttps_epi32(_mm_castsi128_ps(as_float.raw))};
}
#endif
/// By 0 to 31.
HWY_INLINE V shifted_left(V word, V count) {
#if HWY_TARGET == HWY_SSE4
  return hn::Mul(word, power_of_two(count));
#else
  return word << count;
#endif
}
/// A word's bits after it moves up by `count`, from 0 to 31, and `more`, and how they leave it.
struct Moved {
  V high, low;
};
template <int more>
HWY_INLINE Moved moved_up(V word, V count) {
#if HWY_TARGET == HWY_SSE4
  // It has no shifts by lane.
  const V power = power_of_two(count);
  const auto odd_lanes = [](V of) HWY_ATTR { return hn::BitCast(kWords, hn::ShiftRight<32>(hn::BitCast(kWide, of))); };
  const V64 even = hn::ShiftLeft<more>(hn::MulEven(word, power));
  const V64 odd = hn::ShiftLeft<more>(hn::MulEven(odd_lanes(word), odd_lanes(power)));
  return {hn::OddEven(hn::BitCast(kWords, odd), hn::BitCast(kWords, hn::ShiftRight<32>(even))),
          hn::OddEven(hn::BitCast(kWords, hn::ShiftLeft<32>(odd)), hn::BitCast(kWords, even))};
#else
  // Shifts by 32 or more give 0 on each of these processors.
  return {word >> hn::Sub(set(32 - more), count), word << hn::Add(count, set(more))};
#endif
}

#if HWY_TARGET != HWY_AVX3
/// By the mask of 4 lanes that take a number, which is in turn: the bytes of a vector of numbers.
constexpr auto kTurnBytes = [] {
  std::array<std::array<uint8_t, 16>, 16> bytes{};
  for (uint32_t takes = 0; takes < 16; ++takes)
    for (uint32_t byte = 0, next = 0; byte < 16; ++byte)
      bytes[takes][byte] = static_cast<uint8_t>((takes >> byte / 4 & 1) != 0 ? next++ : 0x80);
  return bytes;
}();
/// By the mask of 8 lanes: how many before each take one.
constexpr auto kTurns8 = [] {
  std::array<std::array<uint8_t, 8>, 256> turns{};
  for (uint32_t takes = 0; takes < 256; ++takes)
    for (uint32_t lane = 0, turn = 0; lane < 8; ++lane) {
      turns[takes][lane] = static_cast<uint8_t>(turn);
      turn += takes >> lane & 1;
    }
  return turns;
}();
#endif

/// Each lane of the mask takes the next number of `from`; the others have 0.
HWY_INLINE V expanded(V from, M takes) {
#if HWY_TARGET == HWY_AVX3
  // Highway has it from version 1.1 on.
  return V{_mm512_maskz_expand_epi32(takes.raw, from.raw)};
#else
  const uint32_t mask = bits_of(takes);
  if constexpr (kWidth == 4) {
    const hn::Repartition<uint8_t, D> bytes;
    return hn::BitCast(kWords,
                       hn::TableLookupBytesOr0(hn::BitCast(bytes, from), hn::LoadU(bytes, kTurnBytes[mask].data())));
  } else {
    const V turns = hn::PromoteTo(kWords, hn::LoadU(Bytes(), kTurns8[mask].data()));
    return hn::IfThenElseZero(takes, hn::TableLookupLanes(from, hn::IndicesFromVec(kWords, turns)));
  }
#endif
}

/// How many lanes of the mask are before each that is in it. Others have any number.
HWY_INLINE V turns_of(M takes) {
#if HWY_TARGET != HWY_AVX3
  if constexpr (kWidth == 8) return hn::PromoteTo(kWords, hn::LoadU(Bytes(), kTurns8[bits_of(takes)].data()));
#endif
  return expanded(hn::Iota(kWords, 0), takes);
}

/// What `one` has for each lane's number, as words. Gathers of up to 8 lanes take longer than such loads.
template <class Part, class One>
HWY_INLINE hn::Vec<Part> each(Part part, hn::Vec<Part> of, const One& one) {
  if constexpr (hn::MaxLanes(Part()) == 4) {
    const auto pairs = hn::BitCast(hn::RepartitionToWide<Part>(), of);
    const uint64_t first = hn::GetLane(pairs), second = hn::ExtractLane(pairs, 1);
    auto words = hn::Set(part, one(static_cast<uint32_t>(first)));
    words = hn::InsertLane(words, 1, one(static_cast<uint32_t>(first >> 32)));
    words = hn::InsertLane(words, 2, one(static_cast<uint32_t>(second)));
    return hn::InsertLane(words, 3, one(static_cast<uint32_t>(second >> 32)));
  } else {
    const hn::Half<Part> half;
    return hn::Combine(part, each(half, hn::UpperHalf(half, of), one), each(half, hn::LowerHalf(half, of), one));
  }
}
/// Words of a table.
HWY_INLINE V gathered(const uint32_t* table, V at) {
  if constexpr (kWidth == 16)
    return hn::GatherIndex(kWords, table, hn::BitCast(hn::RebindToSigned<D>(), at));
  else
    return each(kWords, at, [&](uint32_t index) { return table[index]; });
}
/// Two bytes from each item of a table on. Bits from 16 on have any value, and two bytes more are read.
template <class Item>
HWY_INLINE V gathered_halves(const Item* table, V at) {
  static_assert(sizeof(Item) <= 2);
  if constexpr (kWidth == 16) {
    const V offset = hn::ShiftLeft<sizeof(Item) - 1>(at);
    return hn::GatherOffset(kWords, reinterpret_cast<const uint32_t*>(table),
                            hn::BitCast(hn::RebindToSigned<D>(), offset));
  } else {
    return each(kWords, at, [&](uint32_t index) {
      uint32_t word;
      std::memcpy(&word, table + index, sizeof word);
      return word;
    });
  }
}
/// Pairs of words of a table.
template <class Part>
struct Pairs {
  hn::Vec<Part> first, second;
};
template <class Part>
HWY_INLINE Pairs<Part> gathered(Part part, const uint64_t* table, hn::Vec<Part> at) {
  const hn::RepartitionToWide<Part> wide;
  if constexpr (hn::MaxLanes(Part()) == 4) {
    const auto two = [&](uint64_t pair) HWY_ATTR {
      const hn::Half<decltype(wide)> one;
      const auto low = hn::LoadU(one, table + static_cast<uint32_t>(pair)), high = hn::LoadU(one, table + (pair >> 32));
      return hn::BitCast(part, hn::Combine(wide, high, low));
    };
    const auto pairs = hn::BitCast(wide, at);
    const auto low = two(hn::GetLane(pairs)), high = two(hn::ExtractLane(pairs, 1));
    return {hn::ConcatEven(part, high, low), hn::ConcatOdd(part, high, low)};
  } else {
    const hn::Half<Part> half;
    const auto low = gathered(half, table, hn::LowerHalf(half, at));
    const auto high = gathered(half, table, hn::UpperHalf(half, at));
    return {hn::Combine(part, high.first, low.first), hn::Combine(part, high.second, low.second)};
  }
}

}  // namespace weft::gstd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
