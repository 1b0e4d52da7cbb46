// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "core/look_back.h"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "runtime/context_state.hpp"

namespace weft::primitives {

/// Clears memory before it is used, in whole vectors of 16 bytes.
class ClearPass {
 public:
  Status create(const runtime::ContextState& state);
  void record(const RecordCall& call, VkDeviceAddress address, uint64_t bytes) const {
    const auto vectors = static_cast<uint32_t>(bytes / 16);
    call.dispatch(*pipeline_, shader::LookBackResetPush{address, vectors, 0}, divided_up(vectors, kWorkgroup));
  }

 private:
  static constexpr uint32_t kWorkgroup = 256;

  std::shared_ptr<const runtime::Pipeline> pipeline_;
};

/// A pass over tiles, each of whose results depend on all tiles before it, by one of two strategies:
///
///     look_back          a reset of the scratch, the look-back (shaders/weft/look_back.glsl), its fallback pass
///     reduce_then_scan   an upsweep, which leaves a partial for each workgroup, and a downsweep
///
/// One tile needs the look-back or the downsweep alone. Where automatic means look_back, calls of few items take
/// reduce_then_scan, in tiles of their own size. Kernels that count in 32 bits take the tiles in chunks, and carry from
/// each to the next what 64 bits hold.
class PrefixPass {
 public:
  struct Desc {
    Strategy strategy = Strategy::automatic;
    std::string look_back, upsweep, downsweep;       // kernels
    const PackedKernels* upsweep_kernels = nullptr;  // null: those of the builder
    uint32_t vector_items = 1;                       // items a lane takes at a time
    uint32_t input_bytes = 0;                        // read of those
    uint32_t value_bytes = 4;                        // of a prefix value, as in partials
    bool value_counts = false;                       // the value's last 4 bytes are a count
    uint32_t carry_bytes = 0;                        // at the front of the scratch, from chunk to chunk
    uint64_t chunk_items = ~uint64_t{0}, chunk_tiles = ~uint64_t{0};  // at most

    // Tuning: vectors a lane has of a tile, workgroups of reduce_then_scan, and so on as in ScanTuning.
    uint32_t workgroup = 0, rows = 0, groups = 0, spin_limit = 0, small_kib = 0;
    uint32_t small_workgroup = ~0u, small_rows = ~0u;  // at most, of calls of few items
    uint32_t tiny_kib = 0, tiny_rows = ~0u;            // likewise, of the fewest
  };

  /// What the dispatches of a chunk are pushed.
  struct Chunk {
    VkDeviceAddress scratch = 0;  // after the carry; 0: look-back of one tile, which needs none
    uint32_t index = 0;           // of the chunk
    uint32_t first_tile = 0, tiles = 0;
    uint32_t tiles_per_workgroup = 0;  // reduce_then_scan
    uint32_t workgroups = 0;           // reduce_then_scan

    template <class Push>
    void set(Push& push) const {
      push.scratch = scratch;
      push.tile_capacity = tiles;
      push.tiles_per_workgroup = tiles_per_workgroup;
    }
  };

  /// `builder` has the kernels and the constants but those of tiles and of look-back.
  static Result<PrefixPass> create(const Context& context, PipelineBuilder builder, const Desc& desc);

  Strategy strategy() const noexcept { return strategy_; }
  uint32_t tile_items() const noexcept { return tile_items_; }
  /// For at most so many items, wherever they begin.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records the pass over `count` items that begin `head` items after a tile's boundary. Without items the kernels
  /// still run once. `push_of` and `upsweep_push_of` give the push constants for a Chunk.
  template <class PushOf, class UpsweepPushOf>
  void record(const RecordCall& call, uint64_t count, uint32_t head, VkDeviceAddress scratch, const PushOf& push_of,
              const UpsweepPushOf& upsweep_push_of) const {
    const bool looks_back = uses_look_back(count);
    const Swept& swept = swept_for(count);
    const uint64_t all = tiles(count, head, looks_back ? tile_items_ : swept.tile_items);
    for (uint64_t first = 0; first < all; first += chunk_tiles_) {
      if (first != 0) call.barrier();
      Chunk chunk{.scratch = scratch + carry_bytes_,
                  .index = static_cast<uint32_t>(first / chunk_tiles_),
                  .first_tile = static_cast<uint32_t>(first),
                  .tiles = static_cast<uint32_t>(std::min(chunk_tiles_, all - first))};
      if (looks_back)
        record_look_back(call, chunk, push_of);
      else
        record_reduce_then_scan(call, swept, chunk, push_of, upsweep_push_of);
    }
  }

 private:
  // The fallback pass: so many tiles a workgroup if all are deferred, so that its loops stay short, and no fewer
  // workgroups than this.
  static constexpr uint32_t kFallbackTiles = 64;
  static constexpr uint32_t kFallbackWorkgroups = 32;

  /// reduce_then_scan in one size of tiles.
  struct Swept {
    uint32_t tile_items = 1;
    std::shared_ptr<const runtime::Pipeline> upsweep, downsweep;

    Status build(PipelineBuilder builder, const Desc& desc, uint32_t workgroup, uint32_t rows);
  };

  static uint64_t tiles(uint64_t count, uint32_t head, uint32_t tile_items) noexcept {
    return std::max<uint64_t>(1, divided_up(count + head, tile_items));
  }
  bool uses_look_back(uint64_t count) const noexcept {
    return strategy_ == Strategy::look_back && (swept_.downsweep == nullptr || count > small_items_);
  }
  const Swept& swept_for(uint64_t count) const noexcept {
    return tiny_.downsweep != nullptr && count <= tiny_items_ ? tiny_ : swept_;
  }
  uint64_t look_back_bytes(uint64_t tiles) const noexcept;

  template <class PushOf>
  void record_look_back(const RecordCall& call, Chunk chunk, const PushOf& push_of) const {
    if (chunk.tiles == 1) {
      chunk.scratch = 0;
      call.dispatch(*look_back_, push_of(chunk), 1);
      return;
    }
    reset_.record(call, chunk.scratch, look_back_bytes(chunk.tiles));
    call.barrier();
    call.dispatch(*look_back_, push_of(chunk), chunk.tiles);
    call.barrier();
    call.dispatch(*fallback_, push_of(chunk), std::max(kFallbackWorkgroups, chunk.tiles / kFallbackTiles));
  }

  template <class PushOf, class UpsweepPushOf>
  void record_reduce_then_scan(const RecordCall& call, const Swept& swept, Chunk chunk, const PushOf& push_of,
                               const UpsweepPushOf& upsweep_push_of) const {
    chunk.tiles_per_workgroup = (chunk.tiles - 1) / groups_ + 1;
    chunk.workgroups = (chunk.tiles - 1) / chunk.tiles_per_workgroup + 1;
    if (chunk.workgroups > 1) {
      call.dispatch(*swept.upsweep, upsweep_push_of(chunk), chunk.workgroups);
      call.barrier();
    }
    call.dispatch(*swept.downsweep, push_of(chunk), chunk.workgroups);
  }

  Strategy strategy_ = Strategy::reduce_then_scan;
  uint32_t vector_items_ = 1;
  uint32_t tile_items_ = 1;
  uint32_t value_bytes_ = 4;
  uint32_t state_bytes_ = 8;  // look_back
  uint32_t carry_bytes_ = 0;
  uint32_t block_tiles_ = 1;  // look_back
  uint32_t groups_ = 1;       // reduce_then_scan: at most so many workgroups
  uint64_t small_items_ = 0;  // up to this many take reduce_then_scan although the strategy is look_back
  uint64_t tiny_items_ = 0;   // up to this many take it in tiny_
  uint64_t chunk_tiles_ = 1;
  ClearPass reset_;
  std::shared_ptr<const runtime::Pipeline> look_back_, fallback_;
  Swept swept_, tiny_;
};

}  // namespace weft::primitives
