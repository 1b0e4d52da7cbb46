// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace weft::bench {

/// No call may take longer: systems reset devices that stay in one dispatch for seconds, and freeze before.
inline constexpr double kMaxCallMs = 100;

/// What a call has taken.
struct CallSpeed {
  uint64_t n = 0;
  double ms = 0;

  double at(uint64_t items) const {
    return ms * static_cast<double>(items) / static_cast<double>(std::max<uint64_t>(n, 1));
  }
};

/// The time that a call on `n` items will take, found by shorter calls, which `time(items)` makes: it gives
/// milliseconds, or nothing on an error, which ends all. Over `max_ms` where even they say so. `speed`: of the largest
/// call so far, if there was one. No call is made of which those before it say that it takes longer than `max_ms`, and
/// none, nor a prediction, of over four times as many items unless it is far below: what caches hold is several times
/// as fast, and an item of a short call several times as slow.
template <class Time>
std::optional<double> predict_call_ms(uint64_t n, double max_ms, std::optional<CallSpeed>& speed, const Time& time) {
  constexpr uint64_t kFirstItems = uint64_t{1} << 16;
  constexpr uint64_t kGrowth = 4;
  constexpr double kFarBelow = 0.1;
  const auto probe = [&](uint64_t items) {
    const std::optional<double> ms = time(items);
    if (ms) speed = CallSpeed{items, *ms};
    return ms.has_value();
  };
  if (!speed && !probe(std::min(n, kFirstItems))) return std::nullopt;
  for (;;) {
    const double ms = speed->at(n);
    const uint64_t next = std::max<uint64_t>(speed->n, 1) * kGrowth;
    if (n <= next || ms <= kFarBelow * max_ms || speed->at(next) > max_ms) return ms;
    if (!probe(next)) return std::nullopt;
  }
}

/// How many items a call may have if the speed of one is known: as many as take half of `max_ms`. At most `first` if
/// none is known or it had few items.
inline uint64_t affordable_items(const std::optional<CallSpeed>& speed, double max_ms, uint64_t first) {
  if (!speed || speed->n == 0 || !(speed->ms > 0)) return first;
  const double items = static_cast<double>(speed->n) * max_ms / 2 / speed->ms;
  const uint64_t affordable = items < 1e18 ? std::max<uint64_t>(static_cast<uint64_t>(items), 1) : ~uint64_t{0};
  return speed->n < first / 4 ? std::min(affordable, first) : affordable;
}

}  // namespace weft::bench
