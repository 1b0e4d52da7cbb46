// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/interval_expand.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<IntervalExpand> {
  static constexpr const char* name = "IntervalExpand";
  static IntervalExpandConfig config() { return {IntervalsBy::offsets, Type::u64, 12}; }
  static IntervalExpandArgs args(const IntervalExpand& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("values", 12 * n), r.read("counts", 8 * (n + 1)), r.write("output", 12 * n), r.write("total", 8),
            r.write("status", 4),     r.scratch(p.scratch_size(n)),  r.count("count", n),       n};
  }
  static std::vector<IntervalExpandConfig> kernels(const AmongTypes&) {
    return {{IntervalsBy::offsets, Type::u32, 12}};
  }
};

}  // namespace weft::test
