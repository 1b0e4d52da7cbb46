// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <weft/context.hpp>
#include <weft/types.hpp>

#include "bulk/bulk.h"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "runtime/context_state.hpp"

namespace weft::primitives {

/// What BulkRemove and BulkInsert both build and record (shaders/bulk/bulk_tiles.glsl).
struct BulkPlan {
  struct Desc {
    const char* name;  // of the primitive, for errors
    const PackedKernels& kernels;
    const char* partition;  // kernels
    const char* tiles;
    uint32_t item_bytes;
    Type index;
    const char* indices_name;  // for errors
  };

  std::shared_ptr<const runtime::ContextState> state;
  const char* name = "";
  uint64_t item_bytes = 0;
  uint64_t index_bytes = 0;
  uint32_t workgroup = 0;
  uint32_t tile_items = 0;
  std::shared_ptr<const runtime::Pipeline> partition, tiles;

  static Result<BulkPlan> create(const Context& context, const Desc& desc);

  /// Refuses an argument with which tiles of so many items are more than dispatches can be made for.
  void check_items(RecordCall& call, const char* argument, uint64_t max_items) const;
  uint64_t item_alignment() const { return item_bytes < 4 ? item_bytes : 4; }
  VkDeviceSize scratch_size(uint64_t max_items) const;

  /// `max_items`: in all tiles.
  void record(RecordCall& call, const shader::BulkPush& push, uint64_t max_items) const;

 private:
  uint64_t tile_count(uint64_t items) const;
};

}  // namespace weft::primitives
