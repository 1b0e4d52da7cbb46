// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/binary_search.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<BinarySearch> {
  static constexpr const char* name = "BinarySearch";
  static BinarySearchConfig config() { return {}; }
  static BinarySearchArgs args(const BinarySearch&, Ranges& r, uint64_t n = kCalled) {
    return {r.read("needles", 4 * n), r.read("haystack", 4 * n), r.write("output", 4 * n), r.count("needle_count", n),
            r.count("haystack_count", n)};
  }
  static std::vector<BinarySearchConfig> kernels(const AmongTypes&) {
    return {{Type::u32, Bound::lower}, {Type::f64, Bound::lower}};
  }
};

}  // namespace weft::test
