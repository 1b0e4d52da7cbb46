// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/load_balance_search.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<LoadBalanceSearch> {
  static constexpr const char* name = "LoadBalanceSearch";
  static LoadBalanceSearchConfig config() { return {.by = IntervalsBy::offsets, .ranks = true}; }
  static LoadBalanceSearchArgs args(const LoadBalanceSearch& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("counts", 4 * (n + 1)), r.write("sources", 4 * n),    r.write("ranks", 4 * n), r.write("total", 8),
            r.write("status", 4),          r.scratch(p.scratch_size(n)), r.count("count", n),     n};
  }
  static std::vector<LoadBalanceSearchConfig> kernels(const AmongTypes&) {
    return {{IntervalsBy::offsets, Type::u32, Type::u32, true, true},
            {IntervalsBy::offsets, Type::u32, Type::u64, true, true}};
  }
};

}  // namespace weft::test
