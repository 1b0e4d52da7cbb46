// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/segmented_sort.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<SegmentedSort> {
  static constexpr const char* name = "SegmentedSort";
  static SegmentedSortConfig config() { return {.value_bytes = 8}; }
  static SegmentedSortArgs args(const SegmentedSort& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),      r.read("values", 8 * n),      r.read("offsets", 4 * (n + 1)),
            r.write("keys_out", 4 * n), r.write("values_out", 8 * n), r.scratch(p.scratch_size(n)),
            r.count("count", n),        r.count("key_count", n)};
  }
  static std::vector<SegmentedSortConfig> kernels(const AmongTypes&) {
    return {{.key = Type::u32},
            {.key = Type::u32, .value_bytes = 4},
            {.key = Type::u64},
            {.key = Type::u64, .value_bytes = 8}};
  }
};

}  // namespace weft::test
