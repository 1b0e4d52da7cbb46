// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Counts of intervals, and the offsets they add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/load_balance_search.hpp>

#include "support/oracle.hpp"
#include "support/random.hpp"

namespace weft::test {

using Counts = std::vector<uint64_t>;

inline Counts random_counts(uint64_t number, uint64_t below, uint64_t seed = 1) {
  Counts counts(number);
  for (uint64_t i = 0; i < number; ++i) counts[i] = random_word(seed, i) % below;
  return counts;
}

/// Mostly small, some zero, a few very large.
inline Counts mixed_counts(uint64_t number, uint64_t seed) {
  Counts counts(number);
  for (uint64_t i = 0; i < number; ++i) {
    const uint64_t word = random_word(seed, i);
    counts[i] = word % 97 == 0 ? (word >> 20) % 5000 : word % 3 == 0 ? 0 : (word >> 8) % 9;
  }
  return counts;
}

/// One more than there are counts. They wrap.
inline Counts offsets_of(const Counts& counts) {
  Counts offsets = {0};
  for (const uint64_t count : counts) offsets.push_back(offsets.back() + count);
  return offsets;
}

/// Counts or offsets as they lie in memory.
inline std::vector<std::byte> bytes_of_intervals(const Counts& counts, IntervalsBy by, Type type) {
  return bytes_of_lengths(by == IntervalsBy::offsets ? offsets_of(counts) : counts, type);
}

}  // namespace weft::test
