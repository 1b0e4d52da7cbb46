// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
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

}  // namespace weft::bench
