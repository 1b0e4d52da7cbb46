// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Ranges that fall into segments: their shapes, and the keys and flags that describe them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/scan_by_key.hpp>

#include "support/device.hpp"
#include "support/run.hpp"

namespace weft::test {

/// How long segments are.
enum class Runs {
  ones,    ///< 1: all keys differ
  twos,    ///< 2
  eights,  ///< 8
  mixed,   ///< 1 to 40, at random
  long_,   ///< 1 to 9,000, at random: some span several tiles
  one,     ///< all items
};

inline constexpr Runs kAllRuns[] = {Runs::ones, Runs::twos, Runs::eights, Runs::mixed, Runs::long_, Runs::one};

std::string text_of(Runs runs);

/// Of each item, whether it is a head. The first always is.
std::vector<bool> heads_of(uint64_t n, Runs runs, uint64_t seed = 1);

/// Keys of `bytes` bytes each; neighbours of different segments differ in one bit, and keys come back later.
std::vector<std::byte> keys_of(const std::vector<bool>& heads, uint32_t bytes, uint64_t seed = 2);

/// Calls `test.operator()<T, A>()` for every type of values and results by key.
template <class Test>
void for_every_value(const Test& test) {
  test.template operator()<uint8_t, uint8_t>();
  test.template operator()<uint8_t, uint32_t>();
  test.template operator()<uint16_t, uint16_t>();
  test.template operator()<uint16_t, uint32_t>();
  test.template operator()<uint32_t, uint32_t>();
  test.template operator()<uint32_t, uint64_t>();
  test.template operator()<uint64_t, uint64_t>();
  test.template operator()<int32_t, int32_t>();
  test.template operator()<int32_t, int64_t>();
  test.template operator()<int64_t, int64_t>();
  test.template operator()<float, float>();
  test.template operator()<float, double>();
  test.template operator()<double, double>();
}

/// Calls `test.operator()<T, A>(op, turn)`: u32 has every operator, every other type one, which changes from turn to
/// turn until `test` returns true. Turns count from 1.
template <class Test>
void for_every_value_in_turn(const Test& test) {
  uint32_t turn = 0;
  for_every_value([&]<class T, class A>() {
    const std::vector<Op> all = operators_of<T>();
    const bool is_first = std::is_same_v<T, uint32_t> && std::is_same_v<A, uint32_t>;
    for (const Op op : all) {
      if (!is_first && op != all[turn % all.size()]) continue;
      if (test.template operator()<T, A>(op, ++turn) && !is_first) break;
    }
  });
}

/// SwiftShader takes seconds to build a pipeline: there tests take those that show most.
inline bool is_slow(const Backend& backend) { return backend.name().find("SwiftShader") != std::string::npos; }
inline bool is_slow(const Device& device) { return is_slow(device.backend()); }

/// Keys or flags that describe the heads. Flags that are set have any bits; the first item's is not always set.
std::vector<std::byte> marks_of(const std::vector<bool>& heads, SegmentsBy segments, uint32_t key_bytes);

}  // namespace weft::test
