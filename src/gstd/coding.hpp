// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tables of both entropy coders, as descriptions of them make them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "gstd/format.hpp"

namespace weft::gstd {

/// Frequencies of a rANS table, which sum to kRansSlots, and where each symbol's slots begin.
struct RansTable {
  std::array<uint16_t, kMaxFieldSymbols> frequency{}, base{};
  std::array<uint8_t, kRansSlots> symbol{};  ///< of a slot

  /// Of frequencies that sum to kRansSlots.
  void set(std::span<const uint16_t> frequencies);
};

/// A class of a weight and the bits behind it.
struct Weight {
  uint8_t weight_class = 0, extra = 0;
};
/// Weight of a class and its bits, at most 511. Class 0: the symbol is absent, with weight 0.
uint32_t value_of(Weight weight);
/// The nearest that has such a value.
Weight weight_of(uint32_t value);

/// Frequencies that weights stand for. False: there are none, as the weights of those present are all 0.
bool frequencies_of(std::span<const Weight> weights, std::span<uint16_t> frequencies);

/// Lengths of a canonical code of bytes; 0: the byte is absent.
using CodeLengths = std::array<uint8_t, 256>;

/// A code of literals.
struct LiteralTable {
  struct Entry {
    uint8_t symbol, length;
  };
  CodeLengths lengths{};
  static constexpr uint32_t kSlack = 8;  ///< entries behind the last that are read and written beside it
  /// By the next kMaxCodeLength bits.
  std::array<Entry, (1u << kMaxCodeLength) + kSlack> entries{};

  /// False: the code is not complete. A single byte of length 1 makes a code that takes no bits.
  bool set(const CodeLengths& of);
};

/// Whether these make a complete code, or one byte alone.
bool is_complete(const CodeLengths& lengths);
/// The codes of each byte; of a single byte none. Lengths are complete.
void assign_codes(const CodeLengths& lengths, std::array<uint16_t, 256>& codes);
/// The byte that is alone in a code, or 256.
uint32_t single_symbol(const CodeLengths& lengths);

}  // namespace weft::gstd
