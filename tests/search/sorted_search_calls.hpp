// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/sorted_search.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<SortedSearch> {
  static constexpr const char* name = "SortedSearch";
  static SortedSearchConfig config() { return {}; }
  static SortedSearchArgs args(const SortedSearch& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("needles", 4 * n),        r.read("haystack", 4 * n),  r.write("output", 4 * n),
            r.scratch(p.scratch_size(n, n)), r.count("needle_count", n), r.count("haystack_count", n)};
  }
  static std::vector<SortedSearchConfig> kernels(const AmongTypes&) {
    return {{Type::u32, Bound::lower}, {Type::f64, Bound::lower}};
  }
};

}  // namespace weft::test
