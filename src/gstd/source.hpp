// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::gstd {

/// A stream's bytes, in memory or read on demand.
class Source {
 public:
  explicit Source(std::span<const std::byte> memory) : memory_(memory), size_(memory.size()) {}
  Source(const ReadAt& read, uint64_t size) : read_(&read), size_(size) {}

  uint64_t size() const noexcept { return size_; }
  bool in_memory() const noexcept { return read_ == nullptr; }

  /// `bytes` bytes at `position`, which exist; in `room` if they were read.
  Result<std::span<const std::byte>> view(uint64_t position, size_t bytes, std::vector<std::byte>& room) const {
    if (read_ == nullptr) return memory_.subspan(static_cast<size_t>(position), bytes);
    room.resize(bytes);
    if (bytes == 0) return std::span<const std::byte>();
    if (Status status = (*read_)(position, room); !status) return status.error();
    return std::span<const std::byte>(room);
  }

 private:
  std::span<const std::byte> memory_;
  const ReadAt* read_ = nullptr;
  uint64_t size_;
};

}  // namespace weft::gstd
