// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "merge/merge.h"
#include "merge/merge_tile_part.h"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "primitives/core/search_keys.hpp"
#include "primitives/merge/merge_keys.hpp"
#include "primitives/merge/merge_tuning.hpp"
#include "runtime/context_state.hpp"

namespace weft::primitives {

/// The dispatches that merge, in forms for calls of different sizes. Of many keys, tiles are cut by a dispatch before;
/// of fewer, each subgroup finds its part itself; of a small number, tiles are smaller too.
struct MergePasses {
  std::shared_ptr<const runtime::Pipeline> partition, merge;
  std::shared_ptr<const runtime::Pipeline> direct;       ///< up to direct_keys
  std::shared_ptr<const runtime::Pipeline> small_merge;  ///< up to small_keys
  uint32_t workgroup = 0;
  uint32_t large_tile_keys = 0, small_tile_keys = 0;
  uint64_t direct_keys = 0, small_keys = 0;  ///< 0: never

  uint32_t tile_keys(uint64_t keys) const { return keys <= small_keys ? small_tile_keys : large_tile_keys; }
  uint64_t tiles(uint64_t keys) const { return divided_up(keys, tile_keys(keys)); }
  bool is_cut_before(uint64_t keys) const { return keys > std::max(direct_keys, small_keys); }
  /// Where tiles are cut: one more than there are tiles, so that scratch is never empty.
  uint64_t splits(uint64_t keys) const { return (is_cut_before(keys) ? tiles(keys) : 0) + 1; }

  /// Builds those that merge tiles: the kernel `tiles`, in forms by the tuning. `few`: keys of calls up to small_keys.
  void build(PipelineBuilder& builder, const MergeTuning& tuning, const MergeKeys& keys, const MergeKeys& few,
             const std::string& tiles) {
    large_tile_keys = workgroup * keys.keys_per_lane;
    small_tile_keys = workgroup * few.keys_per_lane;
    direct_keys = uint64_t{keys.element_words == 1 ? tuning.direct_tiles : tuning.direct_tiles_wide} * large_tile_keys;
    small_keys = tuning.few;
    builder.set(shader::merge::kMergeKeys, keys.keys_per_lane)
        .set(shader::merge_tile_part::kFindsCuts, false)
        .build(merge, tiles)
        .set(shader::merge_tile_part::kFindsCuts, true);
    if (direct_keys > small_keys) builder.build(direct, tiles);
    if (small_keys != 0) builder.set(shader::merge::kMergeKeys, few.keys_per_lane).build(small_merge, tiles);
  }

  template <class Push>
  void record(const RecordCall& call, const Push& push, uint64_t keys) const {
    if (is_cut_before(keys)) {
      call.dispatch(*partition, push, tiles(keys) * kMergePathLanes / workgroup + 1);
      call.barrier();
    }
    call.dispatch(keys <= small_keys ? *small_merge : keys <= direct_keys ? *direct : *merge, push, tiles(keys));
  }
};

}  // namespace weft::primitives
