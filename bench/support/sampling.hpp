// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "support/statistics.hpp"

namespace weft::bench {

/// The u32 items of the copy that a row of `moved_bytes` is compared with: `bits` significant bits of their number, so
/// that rows share copies. With four, their bytes differ by at most a sixteenth; with one, items are a power of two.
constexpr uint64_t copy_items(uint64_t moved_bytes, int bits = 4) {
  const uint64_t items = (moved_bytes + 7) / 8;
  const int dropped = std::max(0, static_cast<int>(std::bit_width(items)) - bits);
  const uint64_t half = dropped > 0 ? uint64_t{1} << (dropped - 1) : 0;
  return (items + half) >> dropped << dropped;
}

/// How one row is sampled: the same for weft and its peers.
struct Sampling {
  uint32_t repeats = 0;        ///< samples taken
  double warm_up_ms = 0;       ///< the row runs at least so long before them, and on while it gets faster
  uint32_t largest_batch = 0;  ///< calls enqueued at once, at most
};

/// Milliseconds of `repeats` calls. `time(count)` runs `count` calls and gives the milliseconds of each, or nothing on
/// an error, which ends all. `at_speed()`: whether the device's clocks are up. `call_ms`: about what one call takes.
///
/// The warm-up goes by the clock on the wall: clocks rise, and drivers replace code they compiled in haste, whatever
/// the device is busy with. Samples that spread, as when clocks rise amid them, are taken again.
template <class Time, class AtSpeed>
std::optional<std::vector<double>> take_samples(const Sampling& sampling, double call_ms, const Time& time,
                                                const AtSpeed& at_speed) {
  constexpr double kBatchMs = 20;          // of a batch of the warm-up
  constexpr double kLongestBatchMs = 100;  // of a batch of samples: submissions are kept short, as dispatches are
  constexpr double kImprovement = 0.97;
  constexpr double kMaxWarmUps = 10;
  constexpr double kMaxSlowMs = 5000;  // for clocks to rise
  constexpr int kTakes = 4;
  constexpr double kLongCallMs = 0.1;  // shorter ones spread by the timer's steps

  const auto since = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  const auto batch_of = [&](double ms, double least) {
    return static_cast<uint32_t>(std::clamp(ms / std::max(1e-3, call_ms), least, double(sampling.largest_batch)));
  };
  double best_ms = std::numeric_limits<double>::infinity();
  for (bool going = true; going;) {
    const auto timed = time(batch_of(kBatchMs, 2));
    if (!timed) return std::nullopt;
    call_ms = std::accumulate(timed->begin(), timed->end(), 0.0) / static_cast<double>(timed->size());
    const bool improving = call_ms < kImprovement * best_ms && since() < kMaxWarmUps * sampling.warm_up_ms;
    going =
        improving || since() < sampling.warm_up_ms || (sampling.warm_up_ms > 0 && since() < kMaxSlowMs && !at_speed());
    best_ms = std::min(best_ms, call_ms);
  }

  std::vector<double> samples;
  for (int take = 0; take < kTakes; ++take) {
    samples.clear();
    while (samples.size() < sampling.repeats) {
      const auto left = static_cast<uint32_t>(sampling.repeats - samples.size());
      const auto timed = time(std::min(batch_of(kLongestBatchMs, 1), left));
      if (!timed) return std::nullopt;
      samples.insert(samples.end(), timed->begin(), timed->end());
    }
    const Summary summary = summarize(samples);
    if (summary.noise() <= kNoisy || summary.median < kLongCallMs) break;
  }
  return samples;
}

}  // namespace weft::bench
