// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The vector instructions of processors, where compilers make them for single functions: WEFT_GSTD_INTRINSICS is
// defined there. For sources alone: what it says to the compiler holds for all that follows.
#pragma once

#include <array>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_GSTD_INTRINSICS 1
#include <immintrin.h>
#if !defined(__clang__) && __GNUC__ < 13
// GCC 12 takes the undefined operands inside its own intrinsics for the program's (its bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace weft::gstd {

/// For the lanes of 8 that take words, a bit each: how many do before each lane.
inline constexpr std::array<std::array<uint8_t, 8>, 256> kTurnsOf8 = [] {
  std::array<std::array<uint8_t, 8>, 256> table{};
  for (uint32_t takes = 0; takes < table.size(); ++takes)
    for (uint32_t lane = 0, turn = 0; lane < 8; ++lane) {
      table[takes][lane] = static_cast<uint8_t>(turn);
      turn += takes >> lane & 1;
    }
  return table;
}();

}  // namespace weft::gstd
