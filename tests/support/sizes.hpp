// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "runtime/context_state.hpp"
#include "support/device.hpp"

namespace weft::test {

/// How many workgroups a dispatch has along one axis; 0 where that is too many to try more.
inline uint64_t workgroups_along_x(const Backend& backend) {
  const uint64_t groups = backend.context().state()->traits().max_workgroup_count_x;
  if (groups <= 1u << 17) return groups;
  MESSAGE("one axis takes ", groups, " workgroups: too many to try");
  return 0;
}

/// That scratch is never nothing and never shrinks as a count grows, up to `most`.
template <class ScratchSize>
void check_scratch_grows(const ScratchSize& scratch_size, uint64_t most = uint64_t{1} << 40) {
  VkDeviceSize before = 1;
  for (uint64_t count = 0; count < most; count = most - count < count / 7 + 1 ? most : count + count / 7 + 1) {
    CHECK(scratch_size(count) >= before);
    CHECK(scratch_size(count + 1) >= scratch_size(count));
    before = scratch_size(count);
  }
  CHECK(scratch_size(most) >= before);
}

/// Of two counts, each by itself and both.
template <class Primitive>
void check_scratch_grows_with_both(const Primitive& primitive) {
  check_scratch_grows([&](uint64_t n) { return primitive.scratch_size(n, 5); }, ~uint64_t{0});
  check_scratch_grows([&](uint64_t n) { return primitive.scratch_size(5, n); }, ~uint64_t{0});
  check_scratch_grows([&](uint64_t n) { return primitive.scratch_size(n, n); }, ~uint64_t{0});
}

/// Each of `sizes`, one less and one more, in order.
inline std::vector<uint64_t> around(std::initializer_list<uint64_t> sizes) {
  std::set<uint64_t> all;
  for (const uint64_t size : sizes) all.insert({size == 0 ? 0 : size - 1, size, size + 1});
  return {all.begin(), all.end()};
}

/// Counts of items at which a primitive with tiles of `tile_items` changes what it does: nothing, lane, vector,
/// subgroup, workgroup, tile, several tiles.
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
