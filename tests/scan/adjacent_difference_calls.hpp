// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/adjacent_difference.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<AdjacentDifference> {
  static constexpr const char* name = "AdjacentDifference";
  static AdjacentDifferenceConfig config() { return {}; }
  static AdjacentDifferenceArgs args(const AdjacentDifference&, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n), r.write("output", 4 * n), r.count("count", n)};
  }
  static std::vector<AdjacentDifferenceConfig> kernels(const AmongTypes& among) {
    std::vector<AdjacentDifferenceConfig> configs;
    for (const Type item : among()) configs.push_back({Neighbour::left, item});
    return configs;
  }
};

}  // namespace weft::test
