// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace weft::bench {

/// Calls f(block) for every block of [0, blocks), on all cores, in any order.
template <class F>
void for_each_block(uint64_t blocks, const F& f) {
  const uint64_t threads = std::min<uint64_t>(blocks, std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<uint64_t> next = 0;
  const auto work = [&] {
    for (uint64_t block = next++; block < blocks; block = next++) f(block);
  };
  std::vector<std::thread> others;
  for (uint64_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace weft::bench
