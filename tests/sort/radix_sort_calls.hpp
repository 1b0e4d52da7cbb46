// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/radix_sort.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<RadixSort> {
  static constexpr const char* name = "RadixSort";
  static RadixSortConfig config() { return {.value_bytes = 8}; }
  static RadixSortArgs args(const RadixSort& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),        r.read("values", 8 * n),      r.write("keys_out", 4 * n),
            r.write("values_out", 8 * n), r.scratch(p.scratch_size(n)), r.count("count", n)};
  }
  static std::vector<RadixSortConfig> kernels(const AmongTypes&) {
    // It builds those of the other strategy too, for few keys.
    constexpr auto kLookBack = Strategy::look_back;
    return {{.key = Type::u32, .strategy = kLookBack},
            {.key = Type::u32, .value_bytes = 4, .strategy = kLookBack},
            {.key = Type::u64, .strategy = kLookBack},
            {.key = Type::u64, .value_bytes = 8, .strategy = kLookBack}};
  }
};

}  // namespace weft::test
