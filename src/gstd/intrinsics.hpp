// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Vector instructions, if the compiler supports them for single functions; WEFT_GSTD_INTRINSICS is defined then. For
// sources only: its pragmas hold to the end of the file.
#pragma once

#include <array>
#include <cstdint>

// GCC does not align the stack for wide vectors on Windows (its bug 54412).
#if defined(__x86_64__) && defined(__GNUC__) && (defined(__clang__) || !defined(_WIN32))
#define WEFT_GSTD_INTRINSICS 1
#include <immintrin.h>
#if !defined(__clang__) && __GNUC__ < 13
// GCC 12 reports undefined operands inside its own intrinsics (its bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace weft::gstd {

/// By the mask of 8 lanes that take words: how many lanes before each do.
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
