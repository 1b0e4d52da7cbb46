// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace weft::bench {

/// An IEEE binary16 number, as it lies in memory.
struct Half {
  uint16_t bits = 0;
};

inline float to_float(Half half) noexcept {
  const uint32_t sign = uint32_t{half.bits} >> 15 << 31;
  const uint32_t exponent = half.bits >> 10 & 31;
  const uint32_t mantissa = half.bits & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

/// Rounds to nearest, ties to even.
inline Half to_half(float value) noexcept {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  uint32_t result = 0;
  if (magnitude > 0x7f800000) {
    result = 0x7e00;
  } else if (magnitude >= 0x47800000) {  // 65536 and more
    result = 0x7c00;
  } else if (magnitude >= 0x38800000) {  // normal; a carry out of the mantissa raises the exponent, up to infinity
    const uint32_t rebiased = magnitude - (112u << 23);
    result = (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13;
  } else {
    // Adding 0.5 leaves a multiple of 2^-24, the least half, in the mantissa, rounded by the addition.
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    result = std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(0.5f);
  }
  return {static_cast<uint16_t>(sign | result)};
}

}  // namespace weft::bench
