// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <weft/gpu.hpp>

namespace weft::test {

/// A range in the middle of a buffer whose other bytes hold a pattern, so that a write beside the range shows.
class GuardedBuffer {
 public:
  /// Bytes of pattern on each side. A kernel that oversteps by a tile's worth of vectors still lands in it.
  static constexpr VkDeviceSize kGuard = 4096;

  /// `bytes` at an address that is `misalignment` (below 16) modulo 16, holding the start of `contents` and then, up to
  /// `bytes`, the byte `dirt`. A failure fails the running test and ends it.
  GuardedBuffer(Gpu& gpu, VkDeviceSize bytes, VkDeviceSize misalignment, std::span<const std::byte> contents,
                uint8_t dirt = 0xdb);

  BufferRange range() const noexcept { return buffer_.range(first_, bytes_); }
  VkDeviceAddress address() const noexcept { return buffer_.address() + first_; }

  /// Reads all back: fills `contents` and returns where the pattern was overwritten, in words; empty where it is whole.
  std::string read(std::vector<std::byte>& contents);
  /// read(), for when the contents do not matter.
  std::string overwritten();

 private:
  Gpu* gpu_;
  VkDeviceSize first_;
  VkDeviceSize bytes_;
  std::vector<std::byte> image_;
  Buffer buffer_;
};

}  // namespace weft::test
