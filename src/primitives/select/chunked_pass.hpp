// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/look_back.h"
#include "primitives/core/arguments.hpp"
#include "primitives/select/select_tuning.hpp"
#include "runtime/context_state.hpp"

namespace weft::primitives {

/// A pass over tiles, each of whose results depend on all tiles before, by either strategy. It goes in chunks of at most 2^31 items, so
/// that kernels count in 32 bits; from chunk to chunk they carry what 64 bits hold in the first kCarryBytes of scratch.
///
/// Its kernels are <stem>_look_back, _upsweep and _downsweep. Their push constants have the members scratch, first_tile,
/// chunk_tiles, tiles_or_lag and flags, of which kSelectOddChunk is set here.
class ChunkedPass {
 public:
  static constexpr uint64_t kCarryBytes = 32;
  static constexpr uint64_t kMaxTiles = uint64_t{1} << 31;

  struct Config {
    const PackedKernels* kernels = nullptr;  ///< the family of the four
    std::string stem;
    std::string types;  ///< the variant, e.g. ".u32.u32"
    Strategy strategy = Strategy::automatic;
    uint32_t vector_items = 0;       ///< items a lane takes at a time
    bool direct = false;             ///< as in select_direct.glsl; otherwise a lane has at most 4 vectors and 32 items
    uint32_t vector_bytes = 0;       ///< of the input
    uint32_t accumulator_words = 1;  ///< of what is published
    std::vector<uint32_t> constants{};  ///< specialization constants from id 7 on
    uint32_t fault = 0;
    const KernelSet* own = nullptr;  ///< where its kernels are; null: weft's own
  };
  static Result<ChunkedPass> create(std::shared_ptr<const runtime::ContextState> state, const Config& config);

  Strategy strategy() const noexcept { return strategy_; }
  uint32_t tile_items() const noexcept { return tile_items_; }
  /// Bytes for a pass over at most so many items, wherever they begin.
  uint64_t scratch_size(uint64_t max_count) const noexcept;

  /// Records the pass. Where there is nothing to do the kernels still run once.
  template <class Push>
  void record(VkCommandBuffer commands, Push push, uint64_t count, uint32_t head, VkDeviceAddress scratch) const {
    const runtime::ContextState& state = *state_;
    const uint64_t all = tiles(count, head, tile_items_of(count));
    push.scratch = scratch;
    for (uint64_t first = 0, chunk = 0; first < all; first += chunk_tiles_, ++chunk) {
      if (chunk != 0) barrier_between(state, commands);
      const uint64_t tiles_here = std::min<uint64_t>(chunk_tiles_, all - first);
      push.first_tile = static_cast<uint32_t>(first);
      push.chunk_tiles = static_cast<uint32_t>(tiles_here);
      push.flags = (push.flags & ~odd_chunk_flag_) | (chunk % 2 != 0 ? odd_chunk_flag_ : 0);
      if (uses_look_back(count))
        record_look_back(commands, push, tiles_here, scratch + kCarryBytes);
      else
        record_reduce_then_scan(commands, push, tiles_here);
    }
  }

 private:
  static constexpr uint32_t kResetWorkgroup = 256;
  // The fallback pass: so many tiles a workgroup if all are deferred, and no fewer workgroups than this.
  static constexpr uint32_t kFallbackTiles = 64;
  static constexpr uint32_t kFallbackWorkgroups = 32;
  static constexpr uint32_t odd_chunk_flag_ = 8;

  /// Tiles of `count` items that begin `head` items after a tile's boundary; at least 1.
  static uint64_t tiles(uint64_t count, uint32_t head, uint32_t tile_items) noexcept {
    return std::max<uint64_t>(1, (count + head + tile_items - 1) / tile_items);
  }
  uint32_t tile_items_of(uint64_t count) const noexcept {
    return small_items_ != 0 && count <= small_items_ ? small_tile_items_ : tile_items_;
  }
  bool uses_look_back(uint64_t count) const noexcept {
    return strategy_ == Strategy::look_back && (small_items_ == 0 || count > small_items_);
  }
  uint64_t look_back_bytes(uint64_t tiles) const noexcept {
    const uint64_t blocks = (tiles + block_tiles_ - 1) / block_tiles_;
    const uint64_t states = (tiles + 2 * blocks) * 8 * accumulator_words_;
    const uint64_t subgroup_aggregates = tiles * subgroups_ * 4 * accumulator_words_;
    return 16 + (states + subgroup_aggregates + 15) / 16 * 16;
  }

  template <class Push>
  void record_look_back(VkCommandBuffer commands, Push push, uint64_t tiles, VkDeviceAddress states) const {
    const runtime::ContextState& state = *state_;
    const uint32_t max_x = state.traits().max_workgroup_count_x;
    if (tiles > 1) {
      push.tiles_or_lag = lag_tiles_;
      const uint32_t vectors = static_cast<uint32_t>(look_back_bytes(tiles) / 16);
      dispatch(state, commands, *reset_, shader::LookBackResetPush{states, vectors, 0},
               dispatch_size((vectors + kResetWorkgroup - 1) / kResetWorkgroup, max_x));
      barrier_between(state, commands);
    }
    dispatch(state, commands, *look_back_, push, dispatch_size(tiles > 1 ? tiles + lag_tiles_ : 1, max_x));
    if (tiles > 1) {
      barrier_between(state, commands);
      dispatch(state, commands, *fallback_, push,
               dispatch_size(std::max<uint64_t>(kFallbackWorkgroups, tiles / kFallbackTiles), max_x));
    }
  }

  template <class Push>
  void record_reduce_then_scan(VkCommandBuffer commands, Push push, uint64_t tiles) const {
    const runtime::ContextState& state = *state_;
    const uint64_t tiles_per_workgroup = (tiles + groups_ - 1) / groups_;
    const uint32_t workgroups = static_cast<uint32_t>((tiles + tiles_per_workgroup - 1) / tiles_per_workgroup);
    push.tiles_or_lag = static_cast<uint32_t>(tiles_per_workgroup);
    if (workgroups > 1) {
      dispatch(state, commands, *upsweep_, push, {workgroups, 1});
      barrier_between(state, commands);
    }
    dispatch(state, commands, *downsweep_, push, {workgroups, 1});
  }

  std::shared_ptr<const runtime::ContextState> state_;
  Strategy strategy_ = Strategy::reduce_then_scan;
  uint32_t vector_items_ = 0;
  uint32_t tile_items_ = 0;
  uint32_t accumulator_words_ = 1;
  uint32_t block_tiles_ = 1;
  uint32_t subgroups_ = 1;  // of a workgroup
  uint32_t groups_ = 1;
  uint32_t lag_tiles_ = 1;
  uint64_t chunk_tiles_ = 1;
  uint64_t small_items_ =
      0;  // up to this many take reduce_then_scan although the strategy is look_back, in smaller tiles
  uint32_t small_tile_items_ = 0;
  std::shared_ptr<const runtime::Pipeline> reset_, look_back_, fallback_, upsweep_, downsweep_;
};

}  // namespace weft::primitives
