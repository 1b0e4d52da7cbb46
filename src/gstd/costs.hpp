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

/// How many of these are not 0.
inline uint32_t count_present(std::span<const uint32_t> counts) {
  uint32_t present = 0;
  for (const uint32_t count : counts) present += count != 0 ? 1 : 0;
  return present;
}

/// Entropy of all counted symbols, of which there are less than 2^32.
inline Cost entropy_cost(std::span<const uint32_t> counts) {
  uint32_t sum = 0;
  for (const uint32_t count : counts) sum += count;  // a loop for vector instructions
  if (sum == 0) return 0;
  // Four at a time: most are small.
  const size_t fours = counts.size() / 4 * 4;
  const auto cost_of = [](uint32_t count) {
    return count < kCountCosts.size() ? Cost{kCountCosts[count]} : count * log2_cost(count);
  };
  Cost parts = 0;
  for (size_t i = 0; i < fours; i += 4) {
    const uint32_t a = counts[i], b = counts[i + 1], c = counts[i + 2], d = counts[i + 3];
    if ((a | b | c | d) < kCountCosts.size() - 1)
      parts += Cost{kCountCosts[a]} + kCountCosts[b] + kCountCosts[c] + kCountCosts[d];
    else
      parts += cost_of(a) + cost_of(b) + cost_of(c) + cost_of(d);
  }
  for (const uint32_t count : counts.subspan(fours)) parts += cost_of(count);
  return sum * log2_cost(sum) - parts;
}

}  // namespace weft::gstd
