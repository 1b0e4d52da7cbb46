// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The choice among the matches that were found for a tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/format.hpp"
#include "gstd/parser.hpp"

namespace weft::gstd {

constexpr uint32_t kPriceLog = 8;  ///< prices are in 1/256 bits: a tile's fits into 32 bits
constexpr uint32_t kRarePrice =
    12 << kPriceLog;  ///< of symbols without a code in a block's tables, which the next may have

/// Prices by the tables of a block.
struct BlockPrices {
  uint32_t begin = 0;                                                     ///< in the tile
  std::array<std::array<uint16_t, 256>, kLiteralContexts> literals{};     ///< by context
  std::array<std::array<uint16_t, kMaxFieldSymbols>, kLowBits> fields{};  ///< of symbols, without extra bits
  uint32_t low_bits = 0;                                                  ///< of offsets, in a table; 0: no table
  std::array<uint16_t, 8> low_bits_prices{};
  uint32_t sequence = 0;  ///< of each, beside its symbols and bits
};

/// Finds the cheapest parse of a tile from literals, a parser's matches, parts of these, and
/// repeated offsets. One a thread.
class MatchChooser {
 public:
  /// Forgets all matches.
  void clear() { candidates_.clear(); }
  /// Adds a parser's matches of `bytes`, which are the same in each call.
  void add(std::span<const std::byte> bytes, std::span<const Match> matches);
  /// Chooses by the prices of blocks, which are in order. Takes at most 30 bytes of memory a byte of the tile.
  void choose(std::span<const std::byte> bytes, std::span<const BlockPrices> prices, std::vector<Match>& matches);

 private:
  struct Candidate {
    uint32_t begin, end, offset;
  };
  // The cheapest parse up to a position.
  struct Node {
    uint32_t price = ~0u;
    uint32_t literals = 0;            // since the last match
    uint32_t length = 0, offset = 0;  // of the match that ends here; length 0: a literal
    std::array<uint32_t, kRepeats> repeats{};
  };
  void leave(uint32_t at, const BlockPrices& prices, std::span<const std::byte> bytes);
  void take_match(uint32_t at, const Candidate& match, const BlockPrices& prices);

  std::vector<Candidate> candidates_, open_;  // open: at or after the search's position
  std::vector<Node> nodes_;
};

}  // namespace weft::gstd
