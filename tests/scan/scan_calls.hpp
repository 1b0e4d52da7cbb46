// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/scan.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<Scan> {
  static constexpr const char* name = "Scan";
  static ScanConfig config() { return {}; }
  static ScanArgs args(const Scan& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n),
            r.write("output", 4 * n, 4, "input"),
            r.scratch(p.scratch_size(n)),
            r.count("count", n),
            {}};
  }
  static std::vector<ScanConfig> kernels(const AmongTypes& among) { return of_every_pair(among, ScanConfig{}); }
};

}  // namespace weft::test
