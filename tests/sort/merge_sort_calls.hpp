// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/merge_sort.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<MergeSort> {
  static constexpr const char* name = "MergeSort";
  static MergeSortConfig config() { return {.value_bytes = 2, .indices = true}; }
  static MergeSortArgs args(const MergeSort& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),
            r.write("keys_out", 4 * n),
            r.read("values", 2 * n, 2),
            r.write("values_out", 2 * n, 2),
            r.write("indices_out", 4 * n),
            r.scratch(p.scratch_size(n)),
            r.count("count", n)};
  }
  static std::vector<MergeSortConfig> kernels(const AmongTypes&) {
    return {{.key = Type::u32},
            {.key = Type::u32, .value_bytes = 4},
            {.key = Type::u64},
            {.key = Type::u64, .value_bytes = 8}};
  }
};

}  // namespace weft::test
