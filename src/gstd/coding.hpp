// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tables of both entropy coders, built from their descriptions.
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

  /// `frequencies` sum to kRansSlots.
  void set(std::span<const uint16_t> frequencies);
};

/// A weight's class and extra bits.
struct Weight {
  uint8_t weight_class = 0, extra = 0;
};
/// The value of a weight, at most 511. Class 0 is an absent symbol, of value 0.
uint32_t value_of(Weight weight);
/// The weight of the nearest value.
Weight weight_of(uint32_t value);

/// Frequencies of weights. Returns false if all weights of present symbols are 0.
bool frequencies_of(std::span<const Weight> weights, std::span<uint16_t> frequencies);

/// Lengths of a canonical code of bytes; 0: the byte is absent.
using CodeLengths = std::array<uint8_t, 256>;

/// A code of literals.
struct alignas(64) LiteralTable {
  struct Entry {
    /// The length lowest: a queue is shifted by an entry, which processors take modulo 64.
    uint16_t packed;

    static constexpr uint32_t kNextAt = 6, kSymbolAt = 8;
    static constexpr Entry of(uint32_t symbol, uint32_t length, uint32_t next) {
      return {static_cast<uint16_t>(length | next << kNextAt | symbol << kSymbolAt)};
    }
    uint32_t symbol() const { return packed >> kSymbolAt; }
    uint32_t length() const { return packed & 15; }
    uint32_t next() const { return packed >> kNextAt & 3; }  ///< number of the table of the literal after it
  };
  static constexpr uint32_t kSlack = 8;  ///< entries past the last that may be read and written
  /// Indexed by the next kMaxCodeLength bits.
  std::array<Entry, (1u << kMaxCodeLength) + kSlack> entries{};

  /// `map`: the table of each context, as a block's header has it. Returns false if the code is incomplete. The code of
  /// a single byte of length 1 takes no bits.
  bool set(const CodeLengths& of, uint32_t map = 0);
};

/// Whether the code is complete or has a single byte.
bool is_complete(const CodeLengths& lengths);
/// The code of each byte; a single byte has none. The lengths are complete.
void assign_codes(const CodeLengths& lengths, std::array<uint16_t, 256>& codes);
/// The single byte of a code, or 256.
uint32_t single_symbol(const CodeLengths& lengths);

}  // namespace weft::gstd
