// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::bench {

/// Of the times of one call, repeated.
struct Summary {
  double median = 0;
  double p5 = 0;
  double p95 = 0;
  double min = 0;
  std::vector<double> samples;  ///< in the order taken

  /// The spread in relation to the median.
  double noise() const noexcept { return median > 0 ? (p95 - p5) / median : 0; }
};

/// A row whose noise() is above this is marked.
inline constexpr double kNoisy = 0.10;

/// Precondition: samples is not empty. Between two samples a percentile is interpolated.
inline Summary summarize(std::vector<double> samples) {
  std::vector<double> sorted(samples);
  std::sort(sorted.begin(), sorted.end());
  const auto percentile = [&](double p) {
    const double position = p * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(position);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  };
  return {percentile(0.5), percentile(0.05), percentile(0.95), sorted.front(), std::move(samples)};
}

/// 10^9 bytes a second; 0 of no time.
inline double gbps_of(uint64_t bytes, double ms) { return ms > 0 ? static_cast<double>(bytes) / ms * 1e-6 : 0; }

}  // namespace weft::bench
