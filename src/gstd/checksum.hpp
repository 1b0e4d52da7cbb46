// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <weft/export.h>

#include "gstd/little_endian.hpp"
#include "gstd/tile.hpp"

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

/// The sum of terms of whole words, the first of which has index 1. Separate sums, which a compiler keeps in vectors.
inline uint32_t sum_of_words(const std::byte* bytes, size_t words) noexcept {
  constexpr size_t kLanes = 16;
  uint32_t sums[kLanes] = {};
  size_t word = 0;
  for (; word + kLanes <= words; word += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += mix_at(static_cast<uint32_t>(word + lane + 1), load_u32(bytes + 4 * (word + lane)));
  uint32_t sum = 0;
  for (const uint32_t part : sums) sum += part;
  for (; word < words; ++word) sum += mix_at(static_cast<uint32_t>(word + 1), load_u32(bytes + 4 * word));
  return sum;
}

/// The format's checksum of bytes. Word 0 is their number; the others are the bytes, little-endian, padded with zeros.
WEFT_API uint32_t checksum(std::span<const std::byte> bytes, Vectors most = Vectors::all) noexcept;

/// The same for 32-bit words, one at a time: a stream's checksum is that of its tiles' checksums.
class WordSum {
 public:
  void add(uint32_t word) noexcept { sum_ += mix_at(++words_, word); }
  uint32_t value() const noexcept { return sum_ + mix_at(0, 4 * words_); }

 private:
  uint32_t words_ = 0;  // modulo 2^32, as the document has it
  uint32_t sum_ = 0;
};

/// What the number of a tile in its stream adds to its checksum: tiles that are exchanged have other checksums.
constexpr uint32_t tile_term(uint64_t number) noexcept { return 0x9e3779b9u * static_cast<uint32_t>(number); }

}  // namespace weft::gstd
