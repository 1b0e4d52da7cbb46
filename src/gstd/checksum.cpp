// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/checksum.hpp"

#include "gstd/vectors.hpp"

#if defined(WEFT_GSTD_VECTORS)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gstd/checksum.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::gstd::HWY_NAMESPACE {

// The compiler's vectors. A product of 32-bit lanes is one instruction here, and eight in baseline x86-64.
__attribute__((flatten)) uint32_t sum(const std::byte* bytes, size_t words) noexcept {
  return sum_of_words(bytes, words);
}

}  // namespace weft::gstd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if !defined(WEFT_GSTD_VECTORS) || HWY_ONCE
namespace weft::gstd {

uint32_t checksum(std::span<const std::byte> bytes, Vectors most) noexcept {
  static constexpr decltype(&sum_of_words) kOfEach[] = WEFT_GSTD_OF_EACH(sum);
  const auto fastest = kOfEach[static_cast<size_t>(usable_vectors(most))];
  const size_t words = bytes.size() / 4;
  uint32_t sum = mix_at(0, static_cast<uint32_t>(bytes.size())) +
                 (fastest != nullptr ? fastest : sum_of_words)(bytes.data(), words);
  if (const size_t rest = bytes.size() % 4; rest != 0) {
    uint32_t word = 0;
    for (size_t i = 0; i < rest; ++i) word |= std::to_integer<uint32_t>(bytes[4 * words + i]) << 8 * i;
    sum += mix_at(static_cast<uint32_t>(words + 1), word);
  }
  return sum;
}

}  // namespace weft::gstd
#endif
