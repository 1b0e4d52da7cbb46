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

/// The offsets that a sequence may repeat: the last that repeated none or, if repeats move, the last that were used.
class History {
 public:
  using Offsets = std::array<uint32_t, kRepeats>;

  explicit History(bool moves) : moves_(moves) {}

  /// Uses an offset, and returns its position before that, or kRepeats for a new one. Without branches, which could not
  /// be predicted.
  static uint32_t use(uint32_t offset, bool moves, Offsets& offsets) {
    const auto [first, second, third] = offsets;
    const uint32_t not_first = offset != first ? 1 : 0, not_second = not_first & (offset != second ? 1 : 0);
    const uint32_t is_new = not_second & (offset != third ? 1 : 0), may_move = moves ? 1 : 0;
    const uint32_t shifts = 0u - (is_new | (may_move & not_first)),
                   shifts_last = 0u - (is_new | (may_move & not_second));
    offsets = {(shifts & offset) | (~shifts & first), (shifts & first) | (~shifts & second),
               (shifts_last & second) | (~shifts_last & third)};
    return not_first + not_second + is_new;
  }
  /// Returns the symbol of an offset after so many literals, and updates the history.
  uint32_t push(uint32_t offset, uint32_t literals) {
    const uint32_t symbol = repeat(offset, literals);
    return symbol < kRepeats ? symbol : code_offset(offset).symbol;
  }
  /// Returns kRepeats for an offset that is new.
  uint32_t repeat(uint32_t offset, uint32_t literals) {
    const uint32_t position = use(offset, moves_, offsets_);
    return moves_ && position < kRepeats ? moved_symbol(position, literals != 0) : position;
  }

 private:
  Offsets offsets_ = kFirstRepeats;
  bool moves_;
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
