// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "support/device.hpp"

namespace weft::test {

/// Each of `sizes`, one less and one more, in order.
inline std::vector<uint64_t> around(std::initializer_list<uint64_t> sizes) {
  std::set<uint64_t> all;
  for (const uint64_t size : sizes) all.insert({size == 0 ? 0 : size - 1, size, size + 1});
  return {all.begin(), all.end()};
}

/// Counts of items at which a primitive with tiles of `tile_items` changes what it does: nothing, lane, vector, subgroup,
/// workgroup, tile, several tiles.
inline std::vector<uint64_t> edges(const Backend& backend, uint64_t tile_items, uint32_t item_bytes) {
  const uint64_t vector = 16 / item_bytes;
  const uint64_t subgroup = backend.context().subgroup_size();
  // Emulation is slow, and nothing in it depends on how many tiles there are.
  const uint64_t many = backend.is_emulated() ? 5 : 33;
  return around({0, vector, subgroup, subgroup * vector, 32, 128, 256, tile_items / 4, tile_items / 2, tile_items,
                 2 * tile_items, 3 * tile_items, many * tile_items});
}

/// The most telling of them.
inline std::vector<uint64_t> few_edges(uint64_t tile_items) {
  return {0, 1, tile_items, tile_items + 1, 3 * tile_items + 5};
}

}  // namespace weft::test
