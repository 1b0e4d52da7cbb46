// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace weft::bench {

/// How times b lie beside times a.
enum class Difference : uint8_t { slower, faster, same, unsure };

inline const char* name_of(Difference difference) noexcept {
  constexpr const char* kNames[] = {"slower", "faster", "same", "unsure"};
  return kNames[static_cast<size_t>(difference)];
}

/// Samples of both sides together up to which the rank test is exact: those of two --quick runs.
inline constexpr size_t kExactSamples = 24;

/// Of all ways to draw `count` of `values`, the share whose sum is at least `least`. Precondition: values are not 0.
inline double share_of_draws(const std::vector<size_t>& values, size_t count, size_t least) {
  const size_t most = std::accumulate(values.begin(), values.end(), size_t{0});
  // The number of ways by how many are drawn and by their sum. Doubles hold it exactly.
  std::vector<std::vector<double>> ways(count + 1, std::vector<double>(most + 1));
  ways[0][0] = 1;
  for (const size_t value : values)
    for (size_t drawn = count; drawn > 0; --drawn)
      for (size_t sum = most; sum >= value; --sum) ways[drawn][sum] += ways[drawn - 1][sum - value];
  const auto begin = ways[count].begin(), end = ways[count].end();
  return std::accumulate(begin + static_cast<ptrdiff_t>(least), end, 0.0) / std::accumulate(begin, end, 0.0);
}

/// How probable it is that samples x, if drawn as samples y are, would lie so far above them: the one-sided test of
/// Mann and Whitney. Equal samples share the mean of their ranks. Up to kExactSamples samples the chance is exact:
/// every choice of x among all samples, with these ranks, is counted, so ties need no correction. Above it is that of
/// the normal distribution with corrections for ties and continuity. Precondition: neither is empty.
inline double chance_above(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> all(x);
  all.insert(all.end(), y.begin(), y.end());
  std::ranges::sort(all);
  std::vector<size_t> ranks;  // doubled: the mean of two may be a half
  double ties = 0;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end] == all[begin]) ++end;
    ranks.resize(end, begin + end + 1);
    const auto equal = static_cast<double>(end - begin);
    ties += equal * equal * equal - equal;
  }
  size_t rank_sum = 0;
  for (const double one : x) rank_sum += ranks[static_cast<size_t>(std::ranges::lower_bound(all, one) - all.begin())];
  if (all.size() <= kExactSamples) return share_of_draws(ranks, x.size(), rank_sum);

  const auto m = static_cast<double>(x.size()), n = static_cast<double>(y.size());
  const double above = (static_cast<double>(rank_sum) - m * (m + 1)) / 2;  // pairs in which x's is larger
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
