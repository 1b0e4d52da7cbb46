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
  uint32_t bits;
  std::memcpy(&bits, bytes, 4);
  return bits;
}
HWY_INLINE uint32_t count_of(M mask) { return static_cast<uint32_t>(hn::CountTrue(kWords, mask)); }

/// Of a word from each lane, the even lanes' and the odd lanes'.
HWY_INLINE V64 even(V of) { return hn::And(hn::BitCast(kWide, of), hn::Set(kWide, 0xffffffff)); }
HWY_INLINE V64 odd(V of) { return hn::ShiftRight<32>(hn::BitCast(kWide, of)); }
/// The inverse of both, of numbers below 2^32.
HWY_INLINE V joined(V64 even, V64 odd) { return hn::BitCast(kWords, hn::Or(even, hn::ShiftLeft<32>(odd))); }

/// Factors and product below 2^16; bits of `a` from 16 on do not matter.
HWY_INLINE V product(V a, V b) {
  const hn::Repartition<uint16_t, D> halves;
  return hn::BitCast(kWords, hn::Mul(hn::BitCast(halves, a), hn::BitCast(halves, b)));
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

/// Pairs of words of a table.
HWY_INLINE V64 gathered(const uint64_t* table, V64 at) {
  if constexpr (kWidth == 4) {
    const hn::Half<Wide> half;
    return hn::Combine(kWide, hn::Set(half, table[hn::ExtractLane(at, 1)]), hn::Set(half, table[hn::GetLane(at)]));
  } else {
    return hn::GatherIndex(kWide, table, hn::BitCast(hn::RebindToSigned<Wide>(), at));
  }
}
/// What `one` has for each lane's number, as words.
template <class One>
HWY_INLINE V each(V of, One one) {
  const auto two = [&](uint64_t pair) HWY_ATTR {
    const uint32_t low = one(static_cast<uint32_t>(pair)), high = one(static_cast<uint32_t>(pair >> 32));
    return hn::Set(hn::Half<Wide>(), low | uint64_t{high} << 32);
  };
  const V64 pairs = hn::BitCast(kWide, of);
  return hn::BitCast(kWords, hn::Combine(kWide, two(hn::ExtractLane(pairs, 1)), two(hn::GetLane(pairs))));
}
/// Words of a table.
HWY_INLINE V gathered(const uint32_t* table, V at) {
  if constexpr (kWidth == 4)
    return each(at, [&](uint32_t index) { return table[index]; });
  else
    return hn::GatherIndex(kWords, table, hn::BitCast(hn::RebindToSigned<D>(), at));
}
/// Two bytes each, at offsets in bytes. Bits from 16 on have any value, and two bytes more are read.
HWY_INLINE V gathered_halves(const void* from, V at) {
  if constexpr (kWidth == 4) {
    return each(at, [&](uint32_t offset) {
      uint16_t half;
      std::memcpy(&half, static_cast<const uint8_t*>(from) + offset, sizeof half);
      return uint32_t{half};
    });
  } else {
    return hn::GatherOffset(kWords, static_cast<const uint32_t*>(from), hn::BitCast(hn::RebindToSigned<D>(), at));
  }
}

}  // namespace weft::gstd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
