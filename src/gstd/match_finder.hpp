// SPDX-License-Identifier: MIT OR Apache-2.0
//
// All matches of a tile that may be worth choosing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/format.hpp"

namespace weft::gstd {

struct FoundMatch {
  uint32_t length = 0, offset = 0;
};

/// Matches from this length on are compared no further while they are searched; then they are extended.
constexpr uint32_t kLongMatch = 128;

/// Finds matches by binary trees of the positions before, sorted by their bytes, one for each hash of the first bytes.
/// One a thread.
class MatchFinder {
 public:
  /// Finds the matches of `bytes`, which are at most kMaxTileBytes, of `least` bytes, 3 or 4, or more; by chance one of
  /// fewer. Unless `least` is 3, a position with kLongMatch bytes left of the match before is not searched: it has
  /// these alone. At each position at most `depth` others are compared.
  void find(std::span<const std::byte> bytes, uint32_t least, uint32_t depth);
  /// Matches that begin at a position: each longer than the one before, at the nearest offset found for it.
  std::span<const FoundMatch> at(uint32_t position) const {
    return {found_.data() + first_[position], found_.data() + first_[position + 1]};
  }

 private:
  void search(std::span<const std::byte> bytes, uint32_t position, uint32_t unused, uint32_t depth);
  void extend(std::span<const std::byte> bytes, uint32_t position);

  std::vector<uint32_t> heads_;     // the last position of a hash, plus one
  std::vector<uint32_t> children_;  // of positions: with smaller and with larger bytes, plus one
  std::vector<FoundMatch> found_;
  std::vector<uint32_t> first_;  // of positions, in found_
  uint32_t long_offset_ = 0, long_end_ = 0;
};

}  // namespace weft::gstd
