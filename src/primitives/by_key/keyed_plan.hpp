// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include <weft/kernels.hpp>
#include <weft/scan_by_key.hpp>

#include "primitives/by_key/by_key_tuning.hpp"
#include "primitives/core/arguments.hpp"

namespace weft::primitives {

/// What ScanByKey and ReduceByKey build and record alike: items with keys beside them, in tiles of vectors of 4, by either strategy.
struct KeyedPlan {
  struct Wish {
    const char* name;              ///< of the primitive, for errors
    const PackedKernels& kernels;  ///< the family of all but the upsweep
    const char* stem;              ///< of its kernels
    SegmentsBy segments;
    Type key;
    Op op;
    Type item, accumulator;
    Strategy strategy;
    bool inclusive;
    bool counts_heads;
    uint32_t fault;
    const KernelSet* own =
        nullptr;  ///< where its kernels are, and op, item and accumulator are not looked at; null: weft's own
  };

  /// Items of a vector, and so of a lane's row.
  static constexpr uint32_t kVectorItems = 4;

  std::shared_ptr<const runtime::ContextState> state;
  ByKeyTuning tuning;
  Strategy strategy = Strategy::automatic;  ///< resolved
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  uint32_t key_bytes = 0;   ///< of a key or a flag; bits: 0
  uint32_t tile_bytes = 0;  ///< of a tile's keys, values and outputs
  uint32_t tile_items = 0;
  uint32_t segment_bytes = 0;     ///< of what is carried: an accumulator and a word
  uint32_t block_tiles = 0;       ///< look_back: tiles of a block
  uint64_t small_items = 0;       ///< up to this many take reduce_then_scan although the strategy is look_back
  uint32_t swept_tile_items = 0;  ///< of tiles of reduce_then_scan: fewer where those calls are small
  std::shared_ptr<const runtime::Pipeline> reset, look_back, fallback, upsweep, downsweep;

  static Result<KeyedPlan> create(const Context& context, const Wish& wish);

  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;
  bool uses_look_back(uint64_t count) const {
    return strategy == Strategy::look_back && (downsweep == nullptr || count > small_items);
  }
  uint64_t tiles(uint64_t count, uint32_t head) const { return (count + head + tile_items - 1) / tile_items; }
  uint64_t swept_tiles(uint64_t count, uint32_t head) const {
    return (count + head + swept_tile_items - 1) / swept_tile_items;
  }
  /// Scratch of a look-back that is cleared first, as in weft/look_back.glsl. After it a word per tile for those deferred.
  uint64_t look_back_bytes(uint64_t tiles) const;
  /// Items absent in front of the first value, so that vectors of values lie on their boundaries.
  uint32_t head_of(VkDeviceAddress values) const {
    if (item_bytes == 12)
      return static_cast<uint32_t>(values / 4 % 4 * 3 % 4);  // 12 * that falls short of 16 as values does
    return head_items(values, std::min(16u, kVectorItems * item_bytes), item_bytes);
  }
  uint32_t lag_tiles() const { return std::max(1u, tuning.lag_kib * 1024 / tile_bytes); }

  /// Locates `count` keys or flags; nothing of them where the count is 0.
  Result<LocatedRange> locate_keys(const char* name, const BufferRange& range, uint64_t count) const;

  /// Records the dispatches of a call on `maximum` items. `Push` has the members that both primitives have, and all but those that
  /// the strategy needs are set; `upsweep` is what the upsweep is pushed.
  template <class Push, class UpsweepPush>
  void record(VkCommandBuffer commands, uint64_t maximum, VkDeviceAddress scratch, Push push,
              UpsweepPush upsweep) const;
};

/// Refuses what kernels on segments are not compiled for: operators, values, and what the device lacks for them.
Status check_segment_values(const runtime::ContextState& state, const char* primitive, Op op, Type item,
                            Type accumulator);

/// Refuses offsets of segments that are neither u32 nor u64.
Status check_offset(const char* primitive, Type offset);

/// The bytes of an item of `type` by which it has to be aligned.
constexpr uint32_t alignment_of(uint32_t item_bytes) { return std::min(item_bytes, 4u); }

/// Sizes of dispatches of look-back, as in scan.cpp.
inline constexpr uint64_t kMaxTiles = uint64_t{1} << 31;
inline constexpr uint32_t kResetWorkgroup = 256;

/// The reset, look_back and fallback, or the upsweep and downsweep.
void record_reset(const KeyedPlan& plan, VkCommandBuffer commands, VkDeviceAddress scratch, uint64_t tiles);
DispatchSize fallback_size(const KeyedPlan& plan, uint64_t tiles);

template <class Push, class UpsweepPush>
void KeyedPlan::record(VkCommandBuffer commands, uint64_t maximum, VkDeviceAddress scratch, Push push,
                       UpsweepPush upsweep_push) const {
  const uint32_t max_x = state->traits().max_workgroup_count_x;
  if (uses_look_back(maximum)) {
    const uint64_t tile_count = std::max<uint64_t>(1, tiles(maximum, push.head));
    if (tile_count > 1) {
      push.scratch = scratch;
      push.tile_capacity = static_cast<uint32_t>(tile_count);
      push.lag = lag_tiles();
      record_reset(*this, commands, scratch, tile_count);
    }
    dispatch(*state, commands, *look_back, push, dispatch_size(tile_count + push.lag, max_x));
    if (tile_count > 1) {
      barrier_between(*state, commands);
      dispatch(*state, commands, *fallback, push, fallback_size(*this, tile_count));
    }
    return;
  }
  const uint64_t tile_count = std::max<uint64_t>(1, swept_tiles(maximum, push.head));
  const uint64_t tiles_per_workgroup = (tile_count + tuning.groups - 1) / tuning.groups;
  const auto workgroups = static_cast<uint32_t>((tile_count + tiles_per_workgroup - 1) / tiles_per_workgroup);
  push.scratch = scratch;
  push.tiles_per_workgroup = static_cast<uint32_t>(tiles_per_workgroup);
  if (workgroups > 1) {
    upsweep_push.scratch = scratch;
    upsweep_push.tiles_per_workgroup = push.tiles_per_workgroup;
    dispatch(*state, commands, *upsweep, upsweep_push, {workgroups, 1});
    barrier_between(*state, commands);
  }
  dispatch(*state, commands, *downsweep, push, {workgroups, 1});
}

}  // namespace weft::primitives
