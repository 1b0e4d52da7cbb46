// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/block_plan.hpp"
#include "gstd/filters.hpp"
#include "gstd/greedy_parser.hpp"
#include "gstd/parser.hpp"

namespace weft::gstd {

struct FilterChoice : FilterSteps {
  uint64_t bits = 0;             ///< estimated result
  bool has_few_matches = false;  ///< so that a fast search is enough
};

/// Part of a tile's bits that rows have to gain: they cost a decoder another pass over its bytes.
constexpr uint64_t kRowsPart = 128;
constexpr uint64_t with_price_of_rows(uint64_t bits, uint32_t row_words) {
  return row_words == 0 ? bits : bits + bits / kRowsPart;
}

/// Keeps at most `count`, the cheapest first. Equal ones keep their order.
void keep_cheapest(std::vector<FilterChoice>& choices, size_t count);

/// Where a fast search is enough, as in planes, whose literals take few bits.
constexpr GreedySearch kSearchOfFew = {false, 7, 9};
/// Upper bound of a block's bytes for a filter's result of `size` bytes, since planes differ. 0: no bound.
uint32_t plane_bytes(const FilterChoice& choice, size_t size);

/// How filters are chosen for a tile.
struct FilterSearch {
  size_t likely = 8;    ///< to estimate: those whose entropies of a few bytes are least
  size_t narrowed = 3;  ///< of those, to estimate again by more bytes
  size_t most = 1;      ///< to choose
  uint64_t slack = 8;   ///< those take more than the best by at most this part of it
};

/// Tries filters on a tile. One a thread.
class FilterScout {
 public:
  FilterScout() : parser_(1) {}

  /// Chooses at least one, the most promising first, and the tile as it is besides, if all others have rows and more
  /// than one may be chosen. Likely ones are tried on a sixteenth of the tile, the best of them on a quarter.
  void choose(std::span<const std::byte> tile, const FilterSearch& search, std::vector<FilterChoice>& choices);
  /// For fast levels. Tries a few filters on a few bytes, and the best one, if it is promising, on a part of the tile.
  FilterChoice choose_quickly(std::span<const std::byte> tile);

 private:
  void estimate_quickly(std::span<const std::byte> part, FilterChoice& choice);
  uint64_t entropy(const FilterChoice& choice, std::span<const std::byte> tile);
  uint64_t estimate(const FilterChoice& choice, std::span<const std::byte> part);
  void candidates(std::span<const std::byte> tile, std::vector<FilterChoice>& choices);
  uint32_t find_row(std::span<const std::byte> tile);
  /// Adds filters with rows of the best distance, unless the differences at `stride` are far smaller.
  void add_rows(std::span<const std::byte> tile, uint32_t stride, std::vector<FilterChoice>& choices);
  /// What the choice's filter takes: the tile, or its row differences.
  std::span<const std::byte> input_of(const FilterChoice& choice, std::span<const std::byte> tile) const {
    return choice.row_words == 0 ? tile : std::span<const std::byte>(rows_[is_of_numbers(choice.filter) ? 1 : 0]);
  }
  void narrow(std::span<const std::byte> tile, size_t estimated, size_t count, uint64_t slack,
              std::vector<FilterChoice>& choices);

  Parser parser_;
  GreedyParser greedy_parser_;
  std::vector<std::byte> filtered_, scratch_;
  std::array<std::vector<std::byte>, 2> rows_;  // row differences of a tile, of bytes and of numbers
  std::vector<FilterChoice> with_rows_;
  std::vector<uint8_t> row_scores_;  // of bytes by their distance
  std::vector<Match> matches_;
};

}  // namespace weft::gstd
