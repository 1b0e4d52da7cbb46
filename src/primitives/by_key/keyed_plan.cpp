// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/by_key/keyed_plan.hpp"

#include <algorithm>
#include <array>

#include "core/look_back.h"
#include "runtime/kernel_families.hpp"

namespace weft {

const char* name_of(SegmentsBy segments) noexcept {
  switch (segments) {
    case SegmentsBy::keys: return "keys";
    case SegmentsBy::head_bits: return "head_bits";
    case SegmentsBy::head_bytes: return "head_bytes";
    case SegmentsBy::head_words: return "head_words";
  }
  return "?";
}

namespace primitives {
namespace {

using runtime::ContextState;
using runtime::Pipeline;

// As in scan.cpp: tiles a workgroup of the fallback pass takes if all are deferred, and the fewest workgroups.
constexpr uint32_t kFallbackTiles = 64;
constexpr uint32_t kFallbackWorkgroups = 32;

constexpr VkDeviceSize kLeastScratch = 16;

/// kSegmentsBy of weft/tile_heads.glsl.
uint32_t segments_constant(SegmentsBy segments, uint32_t key_bytes) {
  switch (segments) {
    case SegmentsBy::keys: return key_bytes == 1 ? 0 : key_bytes == 2 ? 1 : key_bytes == 4 ? 2 : 3;
    case SegmentsBy::head_bits: return 4;
    case SegmentsBy::head_bytes: return 5;
    case SegmentsBy::head_words: return 6;
  }
  return 0;
}

uint32_t key_bytes_of(SegmentsBy segments, Type key) {
  switch (segments) {
    case SegmentsBy::keys: return size_of(key);
    case SegmentsBy::head_bits: return 0;
    case SegmentsBy::head_bytes: return 1;
    case SegmentsBy::head_words: return 4;
  }
  return 0;
}

Status check_types(const ContextState& state, const KeyedPlan::Wish& wish) {
  if (wish.own != nullptr) return check_own_kernels(wish.name, *wish.own, wish.stem);
  return check_segment_values(state, wish.name, wish.op, wish.item, wish.accumulator);
}

}  // namespace

Result<KeyedPlan> KeyedPlan::create(const Context& context, const Wish& wish) {
  const ContextState& state = *context.state();
  const KernelSet* own = wish.own;
  if (const Status status = check_types(state, wish); !status) return status.error();

  KeyedPlan plan;
  plan.state = context.state();
  plan.tuning = (wish.counts_heads ? reduce_by_key_tuning : scan_by_key_tuning).of(state);
  plan.strategy = wish.strategy;
  plan.item_bytes = own != nullptr ? own->item_bytes() : size_of(wish.item);
  plan.accumulator_bytes = own != nullptr ? own->accumulator_bytes() : size_of(wish.accumulator);
  plan.key_bytes = key_bytes_of(wish.segments, wish.key);
  if (wish.strategy == Strategy::automatic) {
    plan.strategy = state.strategy();
    if (state.strategy() == Strategy::look_back && !state.strategy_is_forced())
      plan.small_items = uint64_t{1024} * plan.tuning.small_kib / (plan.item_bytes + plan.key_bytes);
  }
  if (plan.accumulator_bytes >= 8) plan.tuning.rows = plan.tuning.rows_wide;
  // A tile is held in registers: as many words a lane as the widest of weft's own.
  if (own != nullptr)
    plan.tuning.rows =
        std::min(plan.tuning.rows, 128 / (kVectorItems * std::max(plan.item_bytes, plan.accumulator_bytes)));
  plan.tuning.workgroup = std::min(plan.tuning.workgroup, state.traits().max_workgroup_invocations);
  plan.tile_items = plan.tuning.workgroup * plan.tuning.rows * kVectorItems;
  plan.tile_bytes = plan.tile_items * (plan.key_bytes + plan.item_bytes + plan.accumulator_bytes);
  plan.segment_bytes = std::max(4u, plan.accumulator_bytes) + 4;

  const std::string types =
      own != nullptr ? ".own.own" : std::string(".") + name_of(wish.item) + "." + name_of(wish.accumulator);
  // Ids from 2 on: operator, rows, inclusive, spin limit, fault, segments by, counts heads.
  std::array constants{
      static_cast<uint32_t>(wish.op), plan.tuning.rows, wish.inclusive ? 1u : 0u,
      plan.tuning.spin_limit,         wish.fault,       segments_constant(wish.segments, plan.key_bytes),
      wish.counts_heads ? 1u : 0u};
  Status status;
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const PackedKernels& kernels,
                         const std::string& kernel, uint32_t workgroup, std::span<const uint32_t> values,
                         const KernelSet* set) {
    if (!status) return;
    Result<std::shared_ptr<const Pipeline>> built = state.pipeline(kernels, kernel, workgroup, values, set);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  const std::string stem = wish.stem;
  const uint32_t workgroup = plan.tuning.workgroup;
  if (plan.strategy == Strategy::look_back) {
    plan.block_tiles = state.subgroup_backend() == SubgroupBackend::native ? state.subgroup_size() : 1;
    status = state.check_look_back();
    build(plan.reset, runtime::kernels::look_back(), "look_back_reset", kResetWorkgroup, {}, nullptr);
    build(plan.look_back, wish.kernels, stem + "_look_back" + types, workgroup, constants, own);
    // kFallbackPass of weft/look_back.glsl.
    auto fallback_constants = constants;
    fallback_constants[3] = 0;
    build(plan.fallback, wish.kernels, stem + "_look_back" + types, workgroup, fallback_constants, own);
  }
  plan.swept_tile_items = plan.tile_items;
  if (plan.strategy == Strategy::reduce_then_scan || plan.small_items != 0) {
    if (plan.small_items != 0) {
      constants[1] = std::min(constants[1], plan.tuning.small_rows);
      plan.swept_tile_items = workgroup * constants[1] * kVectorItems;
    }
    build(plan.upsweep, runtime::kernels::by_key(), "scan_by_key_upsweep" + types, workgroup, constants, own);
    build(plan.downsweep, wish.kernels, stem + "_downsweep" + types, workgroup, constants, own);
  }
  if (!status) return status.error();
  return plan;
}

uint64_t KeyedPlan::look_back_bytes(uint64_t tile_count) const {
  const uint64_t blocks = (tile_count + block_tiles - 1) / block_tiles;
  // 32 bits of value and a flag in 64.
  return 16 + in_vectors((tile_count + 2 * blocks) * 2 * segment_bytes);
}

VkDeviceSize KeyedPlan::scratch_size(uint64_t max_count) const noexcept {
  const uint64_t tile_count = tiles(max_count, kVectorItems - 1);
  VkDeviceSize bytes = kLeastScratch;
  // Where the count decides the strategy, the larger of the two, so that the size never decreases.
  if (downsweep != nullptr)
    bytes = std::max(
        bytes, in_vectors(std::min<uint64_t>(swept_tiles(max_count, kVectorItems - 1), tuning.groups) * segment_bytes));
  if (uses_look_back(max_count)) bytes = std::max(bytes, look_back_bytes(tile_count) + in_vectors(tile_count * 4));
  return bytes;
}

Result<LocatedRange> KeyedPlan::locate_keys(const char* primitive, const BufferRange& range, uint64_t count) const {
  if (count == 0) return LocatedRange{"keys", 0, 0};
  if (key_bytes == 0) return locate(*state, primitive, "keys", range, (count + 31) / 32 * 4, 4);
  return locate(*state, primitive, "keys", range, count * key_bytes, alignment_of(key_bytes));
}

void record_reset(const KeyedPlan& plan, VkCommandBuffer commands, VkDeviceAddress scratch, uint64_t tile_count) {
  const auto vectors = static_cast<uint32_t>(plan.look_back_bytes(tile_count) / 16);
  dispatch(
      *plan.state, commands, *plan.reset, shader::LookBackResetPush{scratch, vectors, 0},
      dispatch_size((vectors + kResetWorkgroup - 1) / kResetWorkgroup, plan.state->traits().max_workgroup_count_x));
  barrier_between(*plan.state, commands);
}

DispatchSize fallback_size(const KeyedPlan& plan, uint64_t tile_count) {
  return dispatch_size(std::max<uint64_t>(kFallbackWorkgroups, tile_count / kFallbackTiles),
                       plan.state->traits().max_workgroup_count_x);
}

}  // namespace primitives
}  // namespace weft
