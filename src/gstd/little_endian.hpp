// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::gstd {

inline uint32_t load_u32(const std::byte* from) noexcept {
  uint32_t word;
  std::memcpy(&word, from, 4);
  if constexpr (std::endian::native == std::endian::big)
    word = word >> 24 | (word >> 8 & 0xff00u) | (word & 0xff00u) << 8 | word << 24;
  return word;
}

inline uint64_t load_u64(const std::byte* from) noexcept {
  if constexpr (std::endian::native == std::endian::big) return load_u32(from) | uint64_t{load_u32(from + 4)} << 32;
  uint64_t word;
  std::memcpy(&word, from, 8);
  return word;
}

inline void store_u32(std::byte* to, uint32_t word) noexcept {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::byte>(word >> 8 * i);
}

inline void store_u64(std::byte* to, uint64_t word) noexcept {
  store_u32(to, static_cast<uint32_t>(word));
  store_u32(to + 4, static_cast<uint32_t>(word >> 32));
}

}  // namespace weft::gstd
