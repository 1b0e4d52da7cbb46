// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "primitives/core/arguments.hpp"
#include "primitives/core/search_keys.hpp"
#include "runtime/context_state.hpp"

namespace weft::primitives {

/// The dispatches that merge, in forms for calls of different sizes. Of many keys, tiles are cut by a dispatch before; of fewer, each
/// subgroup finds its part itself; of few keys, tiles are smaller too.
struct MergePasses {
  std::shared_ptr<const runtime::Pipeline> partition, merge;
  std::shared_ptr<const runtime::Pipeline> direct;  ///< up to direct_keys
  std::shared_ptr<const runtime::Pipeline> few;     ///< up to few_keys
  uint32_t workgroup = 0;
  uint32_t large_tile_keys = 0, few_tile_keys = 0;
  uint64_t direct_keys = 0, few_keys = 0;  ///< 0: never

  uint32_t tile_keys(uint64_t keys) const { return keys <= few_keys ? few_tile_keys : large_tile_keys; }
  uint64_t tiles(uint64_t keys) const { return keys / tile_keys(keys) + (keys % tile_keys(keys) != 0 ? 1 : 0); }
  bool is_cut_before(uint64_t keys) const { return keys > std::max(direct_keys, few_keys); }
  /// Where tiles are cut: one more than there are, so that there is something to be had.
  uint64_t splits(uint64_t keys) const { return (is_cut_before(keys) ? tiles(keys) : 0) + 1; }

  template <class Push>
  void record(const runtime::ContextState& state, VkCommandBuffer commands, const Push& push, uint64_t keys) const {
    const uint32_t max_groups = state.traits().max_workgroup_count_x;
    if (is_cut_before(keys)) {
      dispatch(state, commands, *partition, push,
               dispatch_size(tiles(keys) * kMergePathLanes / workgroup + 1, max_groups));
      barrier_between(state, commands);
    }
    const runtime::Pipeline& last = keys <= few_keys ? *few : keys <= direct_keys ? *direct : *merge;
    dispatch(state, commands, last, push, dispatch_size(tiles(keys), max_groups));
  }
};

}  // namespace weft::primitives
