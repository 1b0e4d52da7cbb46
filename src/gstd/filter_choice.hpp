// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/block_plan.hpp"
#include "gstd/filters.hpp"
#include "gstd/parser.hpp"

namespace weft::gstd {

struct FilterChoice {
  Filter filter = Filter::none;
  uint32_t stride = 1;
  uint64_t bits = 0;  ///< about what it comes to
};

/// Tries filters on a tile with a fast parser. One a thread.
class FilterScout {
 public:
  /// `level`: of the encoder.
  explicit FilterScout(int level) : parser_(level < 10 ? 1 : 3) {}

  /// At most `count`, the most promising first.
  void choose(std::span<const std::byte> tile, size_t count, std::vector<FilterChoice>& choices);

 private:
  uint64_t estimate(const FilterChoice& choice, std::span<const std::byte> tile);
  void candidates(std::span<const std::byte> tile, std::vector<FilterChoice>& choices) const;

  Parser parser_;
  BlockPlanner planner_;
  std::vector<std::byte> filtered_, scratch_;
  std::vector<Match> matches_, sequences_;
  std::vector<BlockPlan> blocks_;
};

}  // namespace weft::gstd
