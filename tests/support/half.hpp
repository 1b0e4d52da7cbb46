// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace weft::test {

/// IEEE binary16 as it lies in memory.
struct F16 {
  uint16_t bits = 0;
  bool operator==(const F16&) const = default;
};

/// Exact.
constexpr float float_of(F16 half) {
  const uint32_t sign = uint32_t{half.bits & 0x8000u} << 16;
  const uint32_t exponent = (half.bits >> 10) & 0x1fu;
  const uint32_t fraction = half.bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even; overflows to infinity.
constexpr F16 f16_of(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {static_cast<uint16_t>(sign | 0x7e00u)};
  if (magnitude >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};  // 65520, half way past the largest
  uint32_t significand, dropped;  // the result is significand with `dropped` low bits rounded off
  if (magnitude >= 0x38800000u) {
    significand = magnitude - (112u << 23);
    dropped = 13;
  } else {
    const uint32_t exponent = magnitude >> 23;
    if (exponent < 102) return {static_cast<uint16_t>(sign)};  // below half of the smallest subnormal
    significand = (magnitude & 0x7fffffu) | 0x800000u;
    dropped = 126 - exponent;
  }
  const uint32_t kept = significand >> dropped;
  const uint32_t rest = significand & ((1u << dropped) - 1);
  const uint32_t half = 1u << (dropped - 1);
  const uint32_t rounded = kept + (rest > half || (rest == half && (kept & 1u)) ? 1 : 0);
  return {static_cast<uint16_t>(sign | rounded)};
}

}  // namespace weft::test
