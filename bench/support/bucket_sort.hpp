// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "support/parallel.hpp"

namespace weft::bench {

/// Keys in order, to `sorted`: dealt out by their highest byte, then sorted on all cores.
template <class T>
void sort_keys(std::span<const T> keys, T* sorted) {
  constexpr uint32_t kBuckets = 256;
  std::array<uint64_t, kBuckets + 1> begins{};
  const auto bucket_of = [](T key) { return static_cast<uint32_t>(key >> (8 * sizeof(T) - 8)); };
  for (const T key : keys) ++begins[bucket_of(key) + 1];
  for (uint32_t b = 0; b < kBuckets; ++b) begins[b + 1] += begins[b];
  auto next = begins;
  for (const T key : keys) sorted[next[bucket_of(key)]++] = key;
  for_each_block(kBuckets, [&](uint64_t b) { std::sort(sorted + begins[b], sorted + begins[b + 1]); });
}

}  // namespace weft::bench
