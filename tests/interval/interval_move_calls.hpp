// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/interval_move.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<IntervalMove> {
  static constexpr const char* name = "IntervalMove";
  static IntervalMoveConfig config() {
    return {.by = IntervalsBy::offsets, .count = Type::u64, .offset = Type::u64, .item_bytes = 12};
  }
  static IntervalMoveArgs args(const IntervalMove& p, Ranges& r, uint64_t n = kCalled) {
    return {r.any_size("input", 12 * n, 4, false, false),
            r.read("counts", 8 * (n + 1)),
            r.read("gather", 8 * n),
            r.read("scatter", 8 * n),
            r.any_size("output", 12 * n, 4, true, false),
            r.write("total", 8),
            r.write("status", 8),
            r.scratch(p.scratch_size(n)),
            r.count("count", n),
            n};
  }
  /// In lines, in vectors of words and of bytes, and in single words.
  static std::vector<IntervalMoveConfig> kernels(const AmongTypes&) {
    std::vector<IntervalMoveConfig> configs;
    for (const auto& [bytes, scatter] : {std::pair{1u, true}, {4u, true}, {4u, false}, {1u, false}, {12u, false}})
      configs.push_back({.by = IntervalsBy::offsets, .item_bytes = bytes, .scatter = scatter});
    return configs;
  }
};

}  // namespace weft::test
