// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Costs in 1/65536 bits, by integers alone, so that every machine makes the same choices.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"

namespace weft::gstd {

using Cost = uint64_t;
constexpr uint32_t kCostLog = 16;
constexpr Cost kBit = Cost{1} << kCostLog;

/// log2 of 1 + i / 2048, in Cost.
extern const std::array<uint32_t, 2049> kLog2Table;

/// A number times its log2, in Cost; 0 for 0.
extern const std::array<uint32_t, 2049> kCountCosts;
/// rans_cost of each frequency.
extern const std::array<uint32_t, kRansSlots + 1> kRansCosts;

/// log2 of a number that is not 0.
inline Cost log2_cost(uint32_t value) {
  const uint32_t top = std::min(static_cast<uint32_t>(std::bit_width(value)) - 1, 31u);
  const uint32_t index = top <= 11 ? (value << (11 - top)) - 2048 : (value >> (top - 11)) - 2048;
  return (Cost{top} << kCostLog) + kLog2Table[index];
}

/// The cost of a symbol with this frequency, not 0.
inline Cost rans_cost(uint32_t frequency) { return kRansCosts[frequency]; }

/// Entropy of all counted symbols.
inline Cost entropy_cost(std::span<const uint32_t> counts) {
  uint64_t sum = 0;
  Cost parts = 0;
  for (const uint32_t count : counts) {
    sum += count;
    parts += count < kCountCosts.size() ? kCountCosts[count] : count * log2_cost(count);
  }
  return sum == 0 ? 0 : sum * log2_cost(static_cast<uint32_t>(sum)) - parts;
}

}  // namespace weft::gstd
