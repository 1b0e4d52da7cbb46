// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/parser.hpp"

namespace weft::gstd {

/// What a greedy search does for a byte.
struct GreedySearch {
  bool twice = false;     ///< whether longer matches, of 8 bytes at least, are looked for first
  uint32_t least = 7;     ///< of bytes that a match should have, 4 to 7
  uint32_t patience = 9;  ///< log of the bytes without a match after which one more is skipped at a time
};

/// Finds matches fast: looks at the last position with the same hash, and takes each match that it
/// finds. One a thread.
class GreedyParser {
 public:
  /// Finds valid matches of `bytes`, which are at most kMaxTileBytes, in order, each of at least kMinMatch bytes. They
  /// depend on the arguments alone.
  void parse(std::span<const std::byte> bytes, const GreedySearch& search, std::vector<Match>& matches);

 private:
  // The last position of each hash. 0 is a position too: what is there is compared.
  template <class Position>
  struct Heads {
    std::vector<Position> of_long, of_least;
  };
  template <bool twice, class Position>
  void parse_by(Heads<Position>& heads, std::span<const std::byte> bytes, const GreedySearch& search,
                std::vector<Match>& matches);

  Heads<uint16_t> near_;  // half as large: they stay in the nearest cache
  Heads<uint32_t> far_;
};

}  // namespace weft::gstd
