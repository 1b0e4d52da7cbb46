// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Which of the matches that were found a tile is made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/format.hpp"
#include "gstd/parser.hpp"

namespace weft::gstd {

constexpr uint32_t kPriceLog = 8;                 ///< prices are in 1/256 bits: that of a tile fits into 32 bits
constexpr uint32_t kRarePrice = 12 << kPriceLog;  ///< of what a block's tables have no code for: the next ones may

/// What things cost by the tables of a block.
struct BlockPrices {
  uint32_t begin = 0;  ///< in the tile
  ContextMode mode = ContextMode::none;
  uint32_t parameter = 0;
  std::array<std::array<uint16_t, 256>, kMaxLiteralContexts> literals{};  ///< by context
  std::array<std::array<uint16_t, kMaxFieldSymbols>, kLowBits> fields{};  ///< of symbols, without the bits behind them
  uint32_t low_bits = 0;  ///< of offsets, that a table has; 0: none has any
  std::array<uint16_t, 8> low_bits_prices{};
};

/// Finds the cheapest way through a tile: literals, matches that a parser found and parts of them, and repeated
/// offsets. One a thread.
class MatchChooser {
 public:
  /// Forgets all matches.
  void clear() { candidates_.clear(); }
  /// Matches of a parser, of the same `bytes` each time, which may be used.
  void add(std::span<const std::byte> bytes, std::span<const Match> matches);
  /// The cheapest by the prices of blocks, which are in order. At most 30 bytes of memory for each of the tile's.
  void choose(std::span<const std::byte> bytes, std::span<const BlockPrices> prices, std::vector<Match>& matches);

 private:
  struct Candidate {
    uint32_t begin, end, offset;
  };
  // The cheapest way to a place.
  struct Node {
    uint32_t price = ~0u;
    uint32_t literals = 0;            // since the last match
    uint32_t length = 0, offset = 0;  // of the match that ends here; length 0: a literal does
    std::array<uint32_t, kRepeats> repeats{};
  };
  void leave(uint32_t at, const BlockPrices& prices, std::span<const std::byte> bytes);
  void take_match(uint32_t at, const Candidate& match, const BlockPrices& prices);

  std::vector<Candidate> candidates_, open_;  // those open are where the search is, and behind it
  std::vector<Node> nodes_;
};

}  // namespace weft::gstd
