// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/random.hpp"

namespace weft::test {

/// Runs of 1 to `longest` equal items; neighbouring runs differ, often in one bit only.
template <class T>
std::vector<T> items_in_runs(uint64_t n, uint64_t seed, uint64_t longest) {
  std::vector<T> items(n);
  std::array<std::byte, sizeof(T)> value{};
  uint64_t left = 0, run = 0;
  for (T& item : items) {
    if (left == 0) {
      const uint64_t word = random_word(seed, ++run);
      left = 1 + (word >> 32) % longest;
      if (word >> 60 < 8 || std::memcmp(value.data(), &word, sizeof(T)) == 0)
        value[(word >> 8) % sizeof(T)] ^= static_cast<std::byte>(1u << (word >> 16) % 8);
      else
        std::memcpy(value.data(), &word, sizeof(T));
    }
    std::memcpy(&item, value.data(), sizeof(T));
    --left;
  }
  return items;
}

}  // namespace weft::test
