// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/checksum.hpp"

#include "gstd/intrinsics.hpp"
#include "gstd/little_endian.hpp"

namespace weft::gstd {
namespace {

// Whole words, from index 1 on. Separate sums, which a compiler keeps in vectors.
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

#if defined(WEFT_GSTD_INTRINSICS)
// A product of 32-bit lanes is one instruction here, and eight in baseline x86-64.
__attribute__((target("avx2"), flatten)) uint32_t sum_of_words_avx2(const std::byte* bytes, size_t words) noexcept {
  return sum_of_words(bytes, words);
}

uint32_t fast_sum_of_words(const std::byte* bytes, size_t words) noexcept {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2 ? sum_of_words_avx2(bytes, words) : sum_of_words(bytes, words);
}
#else
uint32_t fast_sum_of_words(const std::byte* bytes, size_t words) noexcept { return sum_of_words(bytes, words); }
#endif

}  // namespace

uint32_t checksum(std::span<const std::byte> bytes) noexcept {
  const size_t words = bytes.size() / 4;
  uint32_t sum = mix_at(0, static_cast<uint32_t>(bytes.size())) + fast_sum_of_words(bytes.data(), words);
  if (const size_t rest = bytes.size() % 4; rest != 0) {
    uint32_t word = 0;
    for (size_t i = 0; i < rest; ++i) word |= std::to_integer<uint32_t>(bytes[4 * words + i]) << 8 * i;
    sum += mix_at(static_cast<uint32_t>(words + 1), word);
  }
  return sum;
}

}  // namespace weft::gstd
