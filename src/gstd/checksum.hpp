// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::gstd {

/// Spreads every bit of a word over all bits. Bijective.
constexpr uint32_t mix(uint32_t word) noexcept {
  word ^= word >> 16;
  word *= 0x7feb352du;
  word ^= word >> 15;
  word *= 0x846ca68bu;
  return word ^ word >> 16;
}

/// The term of a word at `index` in a checksum. Sums wrap, so that any number of lanes adds words in any order.
constexpr uint32_t mix_at(uint32_t index, uint32_t word) noexcept { return mix(word + 0x9e3779b9u * index); }

/// The format's checksum of bytes. Word 0 is their number; the others are the bytes, little-endian, padded with zeros.
uint32_t checksum(std::span<const std::byte> bytes) noexcept;

/// The same for 32-bit words, one at a time: a stream's checksum is that of its tiles' checksums.
class WordSum {
 public:
  void add(uint32_t word) noexcept { sum_ += mix_at(++words_, word); }
  uint32_t value() const noexcept { return sum_ + mix_at(0, 4 * words_); }

 private:
  uint32_t words_ = 0;  // modulo 2^32, as the document has it
  uint32_t sum_ = 0;
};

}  // namespace weft::gstd
