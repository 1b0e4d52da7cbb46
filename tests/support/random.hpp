// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <weft/types.hpp>

#include "support/half.hpp"

namespace weft::test {

/// The i-th number of sequence `seed`: splitmix64's finalizer, so that any item can be had alone.
constexpr uint64_t random_word(uint64_t seed, uint64_t i) {
  uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + i * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// An exponent that wanders in [-3, 3]: items 2^(wander(i + 1) - wander(i)) have products of any run within 2^-6 … 2^6.
constexpr int wander(uint64_t seed, uint64_t i) { return static_cast<int>(random_word(seed, i) % 7) - 3; }

/// Item `i` of `n`, drawn so that the operator's running result stays informative: minima keep falling, products do not
/// become 0, bits are set or cleared rarely. Floats are such that add, multiply, min and max are exact in any order.
template <class T>
T random_item(uint64_t n, uint64_t seed, Op op, uint64_t i) {
  const uint64_t word = random_word(seed, i);
  if constexpr (std::is_same_v<T, U32x2>) {
    return {static_cast<uint32_t>(word) | 1u, static_cast<uint32_t>(word >> 32)};
  } else if constexpr (std::is_same_v<T, F16>) {
    return f16_of(random_item<float>(n, seed, op, i));
  } else if constexpr (std::floating_point<T>) {
    switch (op) {
      case Op::multiply:
        return static_cast<T>(std::ldexp(word >> 63 ? -1.0 : 1.0, wander(seed, i + 1) - wander(seed, i)));
      case Op::min:
      case Op::max: {
        // 1 … 2048, of either sign: exact in f16, and never a zero, whose sign an operator may choose.
        const double magnitude = 1.0 + static_cast<double>(word % 2048);
        const double trend = static_cast<double>(i) / static_cast<double>(n);
        const double value = std::floor(magnitude * trend) + 1.0;
        return static_cast<T>(op == Op::min ? -value : value);
      }
      default: return static_cast<T>(static_cast<int>(word % 7) - 3);
    }
  } else {
    constexpr T kHighest = std::numeric_limits<T>::max();
    constexpr T kLowest = std::numeric_limits<T>::min();
    using Unsigned = std::make_unsigned_t<T>;
    const auto bits = static_cast<Unsigned>(word);
    const double trend = n <= 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(n);
    const auto climb = static_cast<Unsigned>(0.9 * trend * static_cast<double>(std::numeric_limits<Unsigned>::max()));
    switch (op) {
      case Op::multiply: return static_cast<T>(bits | 1u);
      case Op::min: return static_cast<T>(static_cast<Unsigned>(kHighest) - climb - bits % 11u);
      case Op::max: return static_cast<T>(static_cast<Unsigned>(kLowest) + climb + bits % 11u);
      case Op::bit_and:
        return static_cast<T>(word % 5 != 0 ? ~Unsigned{0}
                                            : ~static_cast<Unsigned>(Unsigned{1} << ((word >> 8) % (8 * sizeof(T)))));
      case Op::bit_or:
        return static_cast<T>(word % 5 != 0 ? Unsigned{0}
                                            : static_cast<Unsigned>(Unsigned{1} << ((word >> 8) % (8 * sizeof(T)))));
      default: return static_cast<T>(bits);
    }
  }
}

template <class T>
std::vector<T> random_items(uint64_t n, uint64_t seed, Op op = Op::add) {
  std::vector<T> items(n);
  for (uint64_t i = 0; i < n; ++i) items[i] = random_item<T>(n, seed, op, i);
  return items;
}

inline std::vector<std::byte> random_bytes(uint64_t count, uint64_t seed) {
  std::vector<std::byte> bytes(count);
  for (uint64_t i = 0; i < count; i += 8) {
    const uint64_t word = random_word(seed, i / 8);
    std::memcpy(&bytes[i], &word, std::min<uint64_t>(8, count - i));
  }
  return bytes;
}

/// Floats whose sums do depend on the order: (0, 1) with full mantissas.
inline std::vector<float> rough_floats(uint64_t n, uint64_t seed) {
  std::vector<float> items(n);
  for (uint64_t i = 0; i < n; ++i) items[i] = static_cast<float>(random_word(seed, i) >> 40) * 0x1p-24f + 0x1p-30f;
  return items;
}

}  // namespace weft::test
