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

/// At most `count`, the cheapest first; of equals those that were in front.
void keep_cheapest(std::vector<FilterChoice>& choices, size_t count);

/// How fast levels look for matches in planes, whose literals take few bits: a level of libzstd, and a least length.
constexpr int kPlaneLevel = 1;
constexpr uint32_t kMinInPlanes = 7;
/// Bytes of a block that a filter's result is cut into at least, of `size`: planes have
/// little in common. 0: it is not cut.
uint32_t plane_bytes(const FilterChoice& choice, size_t size);

/// Tries filters on a tile. One a thread.
class FilterScout {
 public:
  /// `level`: of the encoder.
  explicit FilterScout(int level) : parser_(level < 10 ? 1 : 3), plane_parser_(kPlaneLevel, kMinInPlanes) {}

  /// At most `count`, the most promising first: each is tried on a quarter of the tile.
  void choose(std::span<const std::byte> tile, size_t count, std::vector<FilterChoice>& choices);
  /// For fast levels: a few filters are tried on a few bytes, and the best of them, if it
  /// promises much, on a part of the tile.
  FilterChoice choose_quickly(std::span<const std::byte> tile);

 private:
  uint64_t estimate_quickly(const FilterChoice& choice, std::span<const std::byte> part);
  uint64_t estimate(const FilterChoice& choice, std::span<const std::byte> tile);
  void candidates(std::span<const std::byte> tile, std::vector<FilterChoice>& choices) const;

  Parser parser_, plane_parser_;
  BlockPlanner planner_;
  std::vector<std::byte> filtered_, scratch_;
  std::vector<Match> matches_, sequences_;
  std::vector<BlockPlan> blocks_;
};

}  // namespace weft::gstd
