// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Blocks of a tile, and the matches of each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/costs.hpp"
#include "gstd/format.hpp"
#include "gstd/parser.hpp"
#include "gstd/table_choice.hpp"

namespace weft::gstd {

/// A block's sequences; the literals after them are its own.
struct BlockPlan {
  uint32_t begin = 0, size = 0;   ///< in the tile
  uint32_t first = 0, count = 0;  ///< sequences
  uint32_t trailing = 0;
};

/// The offsets that a sequence may repeat: the last that repeated none.
class History {
 public:
  /// Returns the symbol of an offset and updates the history.
  uint32_t push(uint32_t offset) {
    const uint32_t symbol = repeat(offset);
    return symbol < kRepeats ? symbol : code_offset(offset).symbol;
  }
  /// Returns the symbol of a repeated offset, or kRepeats for another, and updates the history. Without branches, which
  /// could not be predicted.
  uint32_t repeat(uint32_t offset) {
    const auto [first, second, third] = offsets_;
    const uint32_t not_first = offset != first ? 1 : 0, not_second = offset != second ? 1 : 0;
    const uint32_t not_third = offset != third ? 1 : 0;
    const uint32_t position = not_first + (not_first & not_second) + (not_first & not_second & not_third);
    const uint32_t is_new = 0u - (not_first & not_second & not_third);
    offsets_ = {(is_new & offset) | (~is_new & first), (is_new & first) | (~is_new & second),
                (is_new & second) | (~is_new & third)};
    return position;
  }

 private:
  std::array<uint32_t, kRepeats> offsets_ = kFirstRepeats;
};

/// Bytes of segments that are fine enough for a tile of `size` bytes.
constexpr uint32_t segment_bytes_of(size_t size) { return std::max(2048u, static_cast<uint32_t>(size / 256)); }

/// Divides a tile into blocks. One a thread.
class BlockPlanner {
 public:
  /// Plans `matches` of `bytes`, in segments of `segment_bytes`: writes `sequences` and `blocks`, which are cut where
  /// tables fit better and where limits require it. Returns an estimate of the bits.
  uint64_t plan(std::span<const std::byte> bytes, std::span<const Match> matches, uint32_t segment_bytes,
                std::vector<Match>& sequences, std::vector<BlockPlan>& blocks);
  /// Cuts at every `block_bytes`, unless that is 0, and where limits require it. Fast.
  uint64_t plan_fast(std::span<const std::byte> bytes, std::span<const Match> matches, uint32_t block_bytes,
                     std::vector<Match>& sequences, std::vector<BlockPlan>& blocks);

 private:
  struct Segment {
    uint32_t begin = 0, size = 0;
    Counts literals{};
    std::array<std::array<uint32_t, kMaxFieldSymbols>, kLowBits> fields{};
    uint32_t sequences = 0;
    Cost cost = 0, merged_cost = 0;  // alone; with the next one
    bool merged = false;
  };
  static Cost cost_of(const Segment& segment);
  static void add(Segment& to, const Segment& more);
  void measure(std::span<const std::byte> bytes, std::span<const Match> matches, uint32_t target);
  void merge();
  void cut(std::span<const std::byte> bytes, std::span<const Match> matches, std::vector<Match>& sequences,
           std::vector<BlockPlan>& blocks) const;

  std::vector<Segment> segments_;
  Segment both_;
};

}  // namespace weft::gstd
