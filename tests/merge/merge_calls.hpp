// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/merge.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<Merge> {
  static constexpr const char* name = "Merge";
  static MergeConfig config() { return {.value_bytes = 2, .indices = true}; }
  static MergeArgs args(const Merge& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys_a", 4 * n),       r.read("keys_b", 4 * n),         r.write("keys_out", 8 * n),
            r.read("values_a", 2 * n, 2),  r.read("values_b", 2 * n, 2),    r.write("values_out", 4 * n, 2),
            r.write("indices_out", 8 * n), r.scratch(p.scratch_size(n, n)), r.count("count_a", n),
            r.count("count_b", n)};
  }
  /// The form that tuning alone chooses.
  static constexpr const char* kernels_tuning = "merge.form=1";
  static std::vector<MergeConfig> kernels(const AmongTypes&) {
    return {{.key = Type::u32},
            {.key = Type::f64},
            {.key = Type::u32, .value_bytes = 4, .indices = true},
            {.key = Type::u64, .value_bytes = 4, .indices = true},
            {.key = Type::u8, .value_bytes = 4, .indices = true}};
  }
};

}  // namespace weft::test
