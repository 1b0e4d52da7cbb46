// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/histogram.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<Histogram> {
  static constexpr const char* name = "Histogram";
  static HistogramConfig config() { return {HistogramKind::levels, Type::u32, 16}; }
  static HistogramArgs args(const Histogram&, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n), r.write("output", 4 * 16), r.count("count", n), 0, 0, r.read("levels", 4 * 17)};
  }
  static std::vector<HistogramConfig> kernels(const AmongTypes&) {
    std::vector<HistogramConfig> configs;
    for (const Type item : {Type::u8, Type::u16, Type::u32, Type::i32, Type::f32})
      configs.push_back({HistogramKind::even, item, 256});
    return configs;
  }
};

}  // namespace weft::test
