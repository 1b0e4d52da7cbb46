// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/segmented_scan.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<SegmentedScan> {
  static constexpr const char* name = "SegmentedScan";
  static SegmentedScanConfig config() { return {}; }
  static SegmentedScanArgs args(const SegmentedScan& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("items", 4 * n),
            r.read("offsets", 4 * (n + 1)),
            r.write("output", 4 * n, 4, "items"),
            r.scratch(p.scratch_size(n)),
            r.count("count", n),
            r.count("item_count", n),
            {}};
  }
  static std::vector<SegmentedScanConfig> kernels(const AmongTypes&) {
    return {{.strategy = Strategy::reduce_then_scan}};
  }
};

}  // namespace weft::test
