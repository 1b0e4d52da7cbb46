// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/reduce.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<Reduce> {
  static constexpr const char* name = "Reduce";
  static ReduceConfig config() { return {}; }
  static ReduceArgs args(const Reduce& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n), r.write("output", 4), r.scratch(p.scratch_size(n)), r.count("count", n), {}};
  }
  static std::vector<ReduceConfig> kernels(const AmongTypes& among) {
    std::vector<ReduceConfig> configs = of_every_pair(among, ReduceConfig{});
    for (const Type item : among()) configs.push_back({Op::arg_min, item, item});
    return configs;
  }
};

}  // namespace weft::test
