// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gstd_tool {

/// The checksum of docs/gstd-format.md, section 4, of words that come one by one.
class WordSum {
 public:
  void add(uint32_t word) noexcept { sum_ += mix(word + 0x9e3779b9u * ++words_); }
  /// `bytes`: how many the words are, where the last is filled up with zeros.
  uint32_t value(uint64_t bytes) const noexcept { return sum_ + mix(static_cast<uint32_t>(bytes)); }

 private:
  static constexpr uint32_t mix(uint32_t word) noexcept {
    word ^= word >> 16;
    word *= 0x7feb352du;
    word ^= word >> 15;
    word *= 0x846ca68bu;
    return word ^ word >> 16;
  }

  uint32_t words_ = 0, sum_ = 0;
};

/// The same of bytes.
inline uint32_t checksum_of(std::span<const std::byte> bytes) noexcept {
  WordSum sum;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint32_t word = 0;
    std::memcpy(&word, &bytes[at], bytes.size() - at < 4 ? bytes.size() - at : 4);
    sum.add(word);
  }
  return sum.value(bytes.size());
}

}  // namespace gstd_tool
