// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/encode_runs.hpp"

namespace weft::bench {

template <class T>
uint64_t encode_runs(std::span<const T> items, T* symbols, uint32_t* lengths) {
  if (items.empty()) return 0;
  constexpr uint64_t kBlock = 32;
  const T* const item = items.data();
  const uint64_t n = items.size();
  uint64_t run = 0;
  uint64_t start = 0;
  uint64_t i = 1;
  const auto step = [&] {
    symbols[run] = item[i - 1];
    lengths[run] = static_cast<uint32_t>(i - start);
    const bool ends = item[i] != item[i - 1];
    run += ends;
    start = ends ? i : start;
    ++i;
  };
  while (i + kBlock <= n) {
    T differs{};
    for (uint64_t j = 0; j < kBlock; ++j) differs = static_cast<T>(differs | (item[i + j] ^ item[i + j - 1]));
    if (differs == T{}) {
      i += kBlock;
      continue;
    }
    for (uint64_t j = 0; j < kBlock; ++j) step();
  }
  while (i < n) step();
  symbols[run] = item[n - 1];
  lengths[run] = static_cast<uint32_t>(n - start);
  return run + 1;
}

template uint64_t encode_runs(std::span<const uint8_t>, uint8_t*, uint32_t*);
template uint64_t encode_runs(std::span<const uint32_t>, uint32_t*, uint32_t*);

}  // namespace weft::bench
