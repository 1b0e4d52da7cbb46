// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/core/prefix_pass.hpp"

#include "primitives/core/look_back_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "weft/look_back.h"
#include "weft/tile.h"

namespace weft::primitives {

using runtime::ContextState;

Status ClearPass::create(const ContextState& state) {
  return PipelineBuilder(state, runtime::kernels::look_back(), kWorkgroup).build(pipeline_, "look_back_reset").status();
}

Result<PrefixPass> PrefixPass::create(const Context& context, PipelineBuilder builder, const Desc& desc) {
  const ContextState& state = *context.state();
  const uint32_t workgroup = std::min(desc.workgroup, state.traits().max_workgroup_invocations);

  const auto items = [&](uint32_t kib) { return uint64_t{1024} * kib * desc.vector_items / desc.input_bytes; };

  PrefixPass pass;
  pass.strategy_ = desc.strategy;
  if (desc.strategy == Strategy::automatic) {
    pass.strategy_ = state.strategy();
    if (state.strategy() == Strategy::look_back && !state.strategy_is_forced()) {
      pass.small_items_ = items(desc.small_kib);
      if (desc.tiny_rows < std::min(desc.rows, desc.small_rows))
        pass.tiny_items_ = items(std::min(desc.tiny_kib, desc.small_kib));
    }
  }
  pass.vector_items_ = desc.vector_items;
  pass.tile_items_ = workgroup * desc.rows * desc.vector_items;
  pass.value_bytes_ = desc.value_bytes;
  pass.state_bytes_ = 2 * (desc.value_bytes - (desc.value_counts ? 4 : 0));
  pass.carry_bytes_ = desc.carry_bytes;
  pass.groups_ = desc.groups;
  pass.chunk_tiles_ = std::min(desc.chunk_tiles, desc.chunk_items / pass.tile_items_);

  builder.workgroup(workgroup);
  if (pass.strategy_ == Strategy::look_back) {
    // As in weft/look_back.glsl.
    pass.block_tiles_ = state.subgroup_backend() == SubgroupBackend::native ? state.subgroup_size() : 1;
    if (Status status = state.check_look_back(); !status) return status.error();
    if (Status status = pass.reset_.create(state); !status) return status.error();
    const LookBackTuning tuning = look_back_tuning.of(state);
    builder.set(shader::look_back::kFault, tuning.fault).set(shader::look_back::kTickets, tuning.tickets != 0);
    builder.set(shader::tile::kRows, desc.rows)
        .set(shader::look_back::kSpinLimit, desc.spin_limit)
        .build(pass.look_back_, desc.look_back)
        .set(shader::look_back::kSpinLimit, 0)  // kFallbackPass of weft/look_back.glsl
        .build(pass.fallback_, desc.look_back);
  }
  if (!builder.status()) return builder.status().error();
  if (pass.strategy_ == Strategy::reduce_then_scan)
    if (Status status = pass.swept_.build(builder, desc, workgroup, desc.rows); !status) return status.error();
  if (pass.small_items_ != 0) {
    const uint32_t small_workgroup = std::min(workgroup, desc.small_workgroup);
    const uint32_t small_rows = std::min(desc.rows, desc.small_rows);
    if (Status status = pass.swept_.build(builder, desc, small_workgroup, small_rows); !status) return status.error();
    if (pass.tiny_items_ != 0)
      if (Status status = pass.tiny_.build(builder, desc, small_workgroup, desc.tiny_rows); !status)
        return status.error();
  }
  return pass;
}

Status PrefixPass::Swept::build(PipelineBuilder builder, const Desc& desc, uint32_t workgroup, uint32_t rows) {
  tile_items = workgroup * rows * desc.vector_items;
  builder.workgroup(workgroup).set(shader::tile::kRows, rows);
  PipelineBuilder upsweeps = builder;
  if (desc.upsweep_kernels != nullptr) upsweeps.from(*desc.upsweep_kernels);
  if (Status status = upsweeps.build(upsweep, desc.upsweep).status(); !status) return status;
  return builder.build(downsweep, desc.downsweep).status();
}

/// What is cleared, as in weft/look_back.glsl: counters, and states of tiles and blocks.
uint64_t PrefixPass::look_back_bytes(uint64_t tiles) const noexcept {
  const uint64_t blocks = divided_up(tiles, block_tiles_);
  return 16 + in_vectors((tiles + 2 * blocks) * state_bytes_);
}

VkDeviceSize PrefixPass::scratch_size(uint64_t max_count) const noexcept {
  uint64_t bytes = 0;
  // Where the count decides the strategy, the larger of the two, so that the size never decreases.
  if (swept_.downsweep != nullptr) {
    const uint32_t tile_items = tiny_.downsweep != nullptr ? tiny_.tile_items : swept_.tile_items;
    const uint64_t workgroups = std::min<uint64_t>(tiles(max_count, vector_items_ - 1, tile_items), groups_);
    bytes = in_vectors(workgroups * value_bytes_);
  }
  if (uses_look_back(max_count)) {
    // After what is cleared, a word a tile for those that are deferred.
    const uint64_t chunk_tiles = std::min(tiles(max_count, vector_items_ - 1, tile_items_), chunk_tiles_);
    bytes = std::max(bytes, look_back_bytes(chunk_tiles) + in_vectors(chunk_tiles * 4));
  }
  return carry_bytes_ + bytes;
}

}  // namespace weft::primitives
