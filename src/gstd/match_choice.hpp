// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The choice among the matches that were found for a tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/block_plan.hpp"
#include "gstd/format.hpp"
#include "gstd/lane_steps.hpp"
#include "gstd/match_finder.hpp"
#include "gstd/parser.hpp"

namespace weft::gstd {

constexpr uint32_t kPriceLog = 8;  ///< prices are in 1/256 bits
constexpr uint32_t kRarePrice =
    12 << kPriceLog;  ///< of symbols without a code in a block's tables, which the next may have

constexpr uint32_t kNearOffset = 64;

/// Prices by the tables of a block.
struct BlockPrices {
  uint32_t begin = 0;                                                     ///< in the tile
  std::array<std::array<uint16_t, 256>, kLiteralContexts> literals{};     ///< by context
  std::array<std::array<uint16_t, kMaxFieldSymbols>, kLowBits> fields{};  ///< of symbols, without extra bits
  bool fine_lengths = false;
  bool moves_repeats = false;
  uint32_t low_bits = 0;  ///< of offsets, in a table; 0: no table
  std::array<uint16_t, 8> low_bits_prices{};
  uint32_t sequence = 0;  ///< of each, beside its symbols and bits
  uint32_t of_near = 0;   ///< of each with an offset below kNearOffset, beside that
};

/// Finds the cheapest parse of a tile from literals, found matches, their beginnings, and repeated offsets. A match of
/// kLongMatch bytes is taken as a whole. One a thread.
class MatchChooser {
 public:
  /// Chooses by the prices of blocks, which are in order. Takes at most 32 bytes of memory a byte of the tile.
  /// `skips`: whether no match is tried where a literal more costs nothing, as the match before is as good one longer.
  void choose(std::span<const std::byte> bytes, const MatchFinder& found, std::span<const BlockPrices> prices,
              bool skips, std::vector<Match>& matches);

 private:
  static constexpr uint32_t kKnownLengths = kLongMatch;  // whose prices are in tables
  static constexpr uint32_t kStep = 8;                   // lengths of a match that are compared at once
  // Of the cheapest parse up to a position.
  struct State {
    uint32_t begin;  // of the literals since the last match
    History::Offsets repeats;
  };
  // A match from the current position, and the price up to it with what all of its lengths cost.
  struct Taken {
    uint32_t length = 0;
    int32_t price = 0;
  };
  void add_literals(std::span<const std::byte> bytes, std::span<const BlockPrices> prices);
  void set_block(const BlockPrices& prices);
  void lower(uint32_t at, uint32_t size);
  void settle(uint32_t at, State& state);
  uint32_t leave(uint32_t at, const State& from, const BlockPrices& prices, std::span<const std::byte> bytes,
                 bool skips, std::span<const FoundMatch> found);
  void take(uint32_t at, uint32_t offset, uint32_t least, const Taken& match, const BlockPrices& prices);

  // Arrays with an item for each position, and some after the last:
  Buffer<int32_t> prices_;                   // of the cheapest parse up to it
  std::vector<uint32_t> lengths_, offsets_;  // of the match that ends there; length 0: a literal
  Buffer<State> states_;
  Buffer<uint32_t> literals_;  // prices of all bytes before it as literals, without their runs
  // Of the current block.
  std::array<uint32_t, kKnownLengths + 1> run_prices_{};
  std::array<int32_t, kKnownLengths + kStep> length_prices_{};
  int32_t least_length_price_ = 0;
  bool moves_repeats_ = false;
};

}  // namespace weft::gstd
