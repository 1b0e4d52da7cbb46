// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/scan_by_key.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<ScanByKey> {
  static constexpr const char* name = "ScanByKey";
  static ScanByKeyConfig config() { return {}; }
  static ScanByKeyArgs args(const ScanByKey& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),        r.read("values", 4 * n), r.write("output", 4 * n, 4, "values"),
            r.scratch(p.scratch_size(n)), r.count("count", n),     {}};
  }
  static std::vector<ScanByKeyConfig> kernels(const AmongTypes& among) {
    return of_every_pair(among, ScanByKeyConfig{});
  }
};

}  // namespace weft::test
