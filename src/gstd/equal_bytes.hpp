// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "gstd/little_endian.hpp"

namespace weft::gstd {

constexpr uint32_t kEqualStep = 16;  ///< bytes that equal_bytes() compares at once

/// Masks of 8 bytes after `skipped` ones, by how many bytes count.
constexpr std::array<uint64_t, kEqualStep + 1> first_bytes(uint32_t skipped) {
  std::array<uint64_t, kEqualStep + 1> masks{};
  for (uint32_t count = 0; count <= kEqualStep; ++count) {
    const uint32_t here = count <= skipped ? 0 : std::min(count - skipped, 8u);
    masks[count] = here == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * here) - 1;
  }
  return masks;
}

/// Whether `size` bytes are equal. `b` is the later position; memory ends at `end`. Most matches are short, of
/// unpredictable length: up to kEqualStep bytes are compared without a branch unless `end` is nearer.
inline bool equal_bytes(const std::byte* a, const std::byte* b, size_t size, const std::byte* end) {
  constexpr std::array<uint64_t, kEqualStep + 1> kLow = first_bytes(0), kHigh = first_bytes(8);
  const auto apart = [&](uint32_t from) { return load_u64(a + from) ^ load_u64(b + from); };
  for (; size > kEqualStep; a += kEqualStep, b += kEqualStep, size -= kEqualStep)
    if ((apart(0) | apart(8)) != 0) return false;
  if (end - b < static_cast<std::ptrdiff_t>(kEqualStep)) return std::equal(a, a + size, b);
  return ((apart(0) & kLow[size]) | (apart(8) & kHigh[size])) == 0;
}

/// How many bytes are equal from `a` and `b` on, at least `length`, which are known to be, at most `most`.
inline uint32_t equal_length(const std::byte* a, const std::byte* b, uint32_t length, uint32_t most) {
  while (most - length >= 8) {
    if (const uint64_t apart = load_u64(a + length) ^ load_u64(b + length); apart != 0)
      return length + static_cast<uint32_t>(std::countr_zero(apart)) / 8;
    length += 8;
  }
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

}  // namespace weft::gstd
