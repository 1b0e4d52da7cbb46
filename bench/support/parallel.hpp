// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace weft::bench {

/// As a vector, but does not set what it grows by: to fill gigabytes with 0 on one core takes as long as to make items
/// on all.
class ByteArray {
 public:
  std::byte* data() noexcept { return bytes_.get(); }
  const std::byte* data() const noexcept { return bytes_.get(); }
  size_t size() const noexcept { return size_; }
  std::byte* begin() noexcept { return data(); }
  std::byte* end() noexcept { return data() + size_; }
  const std::byte* begin() const noexcept { return data(); }
  const std::byte* end() const noexcept { return data() + size_; }
  std::byte& operator[](size_t i) noexcept { return bytes_[i]; }
  const std::byte& operator[](size_t i) const noexcept { return bytes_[i]; }
  /// Keeps what there is. Never frees memory.
  void resize(size_t size) {
    if (size > capacity_) {
      std::unique_ptr<std::byte[]> longer(new std::byte[size]);
      if (size_ > 0) std::memcpy(longer.get(), bytes_.get(), size_);
      bytes_ = std::move(longer);
      capacity_ = size;
    }
    size_ = size;
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

/// Calls f(block) for every block of [0, blocks), on all cores, in any order.
inline void for_each_block(uint64_t blocks, const std::function<void(uint64_t block)>& f) {
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

/// Calls f(begin, end) for parts of [0, n), on all cores, in any order.
template <class F>
void for_each_range(uint64_t n, const F& f, uint64_t most = uint64_t{1} << 20) {
  for_each_block((n + most - 1) / most, [&](uint64_t block) { f(block * most, std::min(n, (block + 1) * most)); });
}

/// Sorts by chunks on all cores, and merges those.
template <class T>
void sort_on_host(std::span<T> keys) {
  const uint64_t chunks = std::bit_floor(std::max(1u, std::thread::hardware_concurrency()));
  const auto at = [&](uint64_t chunk) { return keys.begin() + static_cast<ptrdiff_t>(keys.size() * chunk / chunks); };
  for_each_block(chunks, [&](uint64_t chunk) { std::sort(at(chunk), at(chunk + 1)); });
  for (uint64_t width = 1; width < chunks; width *= 2)
    for_each_block(chunks / (2 * width), [&](uint64_t pair) {
      std::inplace_merge(at(2 * width * pair), at(2 * width * pair + width), at(2 * width * (pair + 1)));
    });
}

}  // namespace weft::bench
