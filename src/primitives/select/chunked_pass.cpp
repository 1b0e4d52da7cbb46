// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/select/chunked_pass.hpp"

#include "runtime/kernel_families.hpp"

namespace weft::primitives {

using runtime::ContextState;
using runtime::Pipeline;

Result<ChunkedPass> ChunkedPass::create(std::shared_ptr<const ContextState> shared_state, const Config& config) {
  const ContextState& state = *shared_state;
  const SelectTuning tuning = select_tuning.of(state);

  ChunkedPass pass;
  pass.state_ = std::move(shared_state);
  pass.strategy_ = config.strategy;
  if (config.strategy == Strategy::automatic) {
    pass.strategy_ = state.strategy();
    if (state.strategy() == Strategy::look_back && !state.strategy_is_forced())
      pass.small_items_ = uint64_t{1024} * tuning.small_kib * config.vector_items / config.vector_bytes;
  }
  const uint32_t workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  const uint32_t rows = config.direct ? std::clamp(tuning.direct_rows & ~3u, 4u, 16u)
                                      : std::min({tuning.rows, 4u, 32 / config.vector_items});
  pass.vector_items_ = config.vector_items;
  pass.tile_items_ = workgroup * rows * config.vector_items;
  pass.accumulator_words_ = config.accumulator_words;
  // As in weft/look_back.glsl.
  pass.block_tiles_ = state.subgroup_backend() == SubgroupBackend::native ? state.subgroup_size() : 1;
  pass.subgroups_ = workgroup / state.subgroup_size();
  pass.groups_ = tuning.groups;
  pass.lag_tiles_ = std::max(1u, tuning.lag_kib * 1024 / (workgroup * rows * config.vector_bytes));
  pass.chunk_tiles_ = std::min<uint64_t>(tuning.chunk_tiles, ((uint64_t{1} << 31) - 1) / pass.tile_items_);

  // Ids 2 to 6: operator, rows, inclusive, spin limit, fault.
  std::vector<uint32_t> constants = {0, rows, 0, tuning.spin_limit, config.fault};
  constants.insert(constants.end(), config.constants.begin(), config.constants.end());
  Status status;
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const PackedKernels& kernels,
                         const std::string& kernel, uint32_t size, std::span<const uint32_t> values,
                         const KernelSet* own) {
    if (!status) return;
    Result<std::shared_ptr<const Pipeline>> built = state.pipeline(kernels, kernel, size, values, own);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  if (pass.strategy_ == Strategy::look_back) {
    status = state.check_look_back();
    build(pass.reset_, runtime::kernels::look_back(), "look_back_reset", kResetWorkgroup, {}, nullptr);
    const std::string look_back = config.stem + "_look_back" + config.types;
    build(pass.look_back_, *config.kernels, look_back, workgroup, constants, config.own);
    // kFallbackPass of weft/look_back.glsl.
    std::vector<uint32_t> fallback_constants = constants;
    fallback_constants[3] = 0;
    build(pass.fallback_, *config.kernels, look_back, workgroup, fallback_constants, config.own);
  }
  if (pass.strategy_ == Strategy::reduce_then_scan || pass.small_items_ != 0) {
    uint32_t lanes = workgroup;
    if (pass.small_items_ != 0) {
      lanes = std::min(workgroup, tuning.small_workgroup);
      constants[1] = std::min(rows, 4u);
      pass.small_tile_items_ = lanes * constants[1] * config.vector_items;
    }
    build(pass.upsweep_, *config.kernels, config.stem + "_upsweep" + config.types, lanes, constants, config.own);
    build(pass.downsweep_, *config.kernels, config.stem + "_downsweep" + config.types, lanes, constants, config.own);
  }
  if (!status) return status.error();
  return pass;
}

uint64_t ChunkedPass::scratch_size(uint64_t max_count) const noexcept {
  const uint64_t tiles_here = std::min(tiles(max_count, vector_items_ - 1, tile_items_), chunk_tiles_);
  uint64_t bytes = 0;
  if (downsweep_ != nullptr) {
    const uint64_t tiles_swept =
        tiles(max_count, vector_items_ - 1, small_items_ != 0 ? small_tile_items_ : tile_items_);
    bytes = in_vectors(std::min<uint64_t>(tiles_swept, groups_) * 4 * accumulator_words_);
  }
  if (uses_look_back(max_count)) bytes = std::max(bytes, look_back_bytes(tiles_here) + in_vectors(tiles_here * 4));
  return kCarryBytes + bytes;
}

}  // namespace weft::primitives
