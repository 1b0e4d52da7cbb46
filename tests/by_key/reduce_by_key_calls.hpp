// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/reduce_by_key.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<ReduceByKey> {
  static constexpr const char* name = "ReduceByKey";
  static ReduceByKeyConfig config() { return {}; }
  static ReduceByKeyArgs args(const ReduceByKey& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),        r.read("values", 4 * n),     r.write("keys_out", 4 * n),
            r.write("values_out", 4 * n), r.write_counts("count_out"), r.scratch(p.scratch_size(n)),
            r.count("count", n)};
  }
  static std::vector<ReduceByKeyConfig> kernels(const AmongTypes& among) {
    return of_every_pair(among, ReduceByKeyConfig{});
  }
};

}  // namespace weft::test
