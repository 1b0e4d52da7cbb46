// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/segmented_reduce.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<SegmentedReduce> {
  static constexpr const char* name = "SegmentedReduce";
  static SegmentedReduceConfig config() { return {}; }
  static SegmentedReduceArgs args(const SegmentedReduce& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("items", 4 * n),   r.read("offsets", 4 * (n + 1)),
            r.write("output", 4 * n), r.scratch(p.scratch_size(n, n)),
            r.count("count", n),      r.count("item_count", n)};
  }
  static std::vector<SegmentedReduceConfig> kernels(const AmongTypes& among) {
    return of_every_pair(among, SegmentedReduceConfig{});
  }
};

}  // namespace weft::test
