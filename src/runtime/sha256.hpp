// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <weft/export.h>

namespace weft::runtime {

/// SHA-256 (FIPS 180-4): names code by its content.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes) noexcept;
  /// The text and its length, so that texts one after the other cannot run into each other.
  WEFT_API void add_text(std::string_view text) noexcept;
  std::array<uint8_t, 32> digest() noexcept;  ///< ends the message
  WEFT_API std::string hexadecimal();         ///< the same in 64 characters

 private:
  void add_block() noexcept;

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> block_{};
  uint64_t bytes_ = 0;
};

}  // namespace weft::runtime
