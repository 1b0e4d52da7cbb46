// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::bench {

/// How times b lie beside times a.
enum class Difference : uint8_t { slower, faster, same, unsure };

inline const char* name_of(Difference difference) noexcept {
  constexpr const char* kNames[] = {"slower", "faster", "same", "unsure"};
  return kNames[static_cast<size_t>(difference)];
}

/// How probable it is that samples x, if drawn as samples y are, would lie so far above them: the one-sided test of
/// Mann and Whitney, by the normal distribution with corrections for ties and continuity. Precondition: neither is
/// empty.
inline double chance_above(const std::vector<double>& x, const std::vector<double>& y) {
  double above = 0;  // pairs in which x's is larger; half of those that are equal
  for (const double one : x)
    for (const double other : y) above += one > other ? 1 : one == other ? 0.5 : 0;
  std::vector<double> all(x);
  all.insert(all.end(), y.begin(), y.end());
  std::ranges::sort(all);
  double ties = 0;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end] == all[begin]) ++end;
    const auto equal = static_cast<double>(end - begin);
    ties += equal * equal * equal - equal;
  }
  const auto m = static_cast<double>(x.size()), n = static_cast<double>(y.size());
  const double variance = m * n / 12 * ((m + n + 1) - ties / ((m + n) * (m + n - 1)));
  if (variance <= 0) return 1;
  return std::erfc((above - m * n / 2 - 0.5) / std::sqrt(2 * variance)) / 2;
}

/// b is slower, or faster, if it is so by more than `margin`, and the same if it is neither: each with a chance below
/// one in a hundred to be wrong. Preconditions: neither is empty; margin >= 0.
inline Difference difference_of(const std::vector<double>& a, const std::vector<double>& b, double margin) {
  constexpr double kChance = 0.01;
  const auto longer = [&](std::vector<double> samples) {
    for (double& sample : samples) sample *= 1 + margin;
    return samples;
  };
  const std::vector<double> longer_a = longer(a), longer_b = longer(b);
  if (chance_above(b, longer_a) < kChance) return Difference::slower;
  if (chance_above(a, longer_b) < kChance) return Difference::faster;
  return chance_above(longer_a, b) < kChance && chance_above(longer_b, a) < kChance ? Difference::same
                                                                                    : Difference::unsure;
}

/// The same of medians alone, which are never unsure.
inline Difference difference_of_medians(double a, double b, double margin) {
  return b > a * (1 + margin) ? Difference::slower : a > b * (1 + margin) ? Difference::faster : Difference::same;
}

}  // namespace weft::bench
