// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge_sort.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include "primitives/merge/merge_keys.hpp"
#include "primitives/merge/merge_passes.hpp"
#include "primitives/sort/sort_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "sort/merge_sort.h"
#include "sort/merge_sort_blocks.h"
#include "sort/merge_sort_merge.h"

namespace weft {

using primitives::kMaxSearchKeys;
using runtime::ContextState;
using runtime::Pipeline;

struct MergeSort::Plan {
  std::shared_ptr<const ContextState> state;
  MergeSortConfig config;
  uint32_t key_bytes = 0;
  uint32_t carried_bytes = 0;    // of what goes with a key from dispatch to dispatch
  bool carries_indices = false;  // else values
  uint32_t workgroup = 0;
  uint32_t block_keys = 0;
  uint32_t subgroup_keys = 0;
  std::shared_ptr<const Pipeline> blocks;
  primitives::MergePasses merges;  // tiles: at most 2 * block_keys, either a power of two of the other

  uint32_t passes(uint64_t count) const {
    const uint64_t runs = std::max<uint64_t>(1, primitives::divided_up(count, block_keys));
    return static_cast<uint32_t>(std::bit_width(runs - 1));
  }

  /// Of scratch: the splits, then keys as often as keys_between(), then what is carried as often as carried_between().
  uint64_t splits_bytes(uint64_t count) const;
  uint32_t keys_between(uint64_t count) const { return std::min(passes(count), config.keys ? 1u : 2u); }
  uint32_t carried_between(uint64_t count) const;
};

namespace {

constexpr const char* kMergeSortName = "MergeSort";

// Where the keys are after each dispatch, and what goes with them: the last writes the outputs, and those before it
// alternate.
VkDeviceAddress range_after(uint32_t dispatch, uint32_t last, VkDeviceAddress output, VkDeviceAddress between,
                            uint64_t between_bytes, bool is_output) {
  if (dispatch == last) return output;
  const bool odd = (last - dispatch) % 2 != 0;
  if (is_output) return odd ? between : output;
  return odd ? between : between + between_bytes;
}

}  // namespace

uint64_t MergeSort::Plan::splits_bytes(uint64_t count) const {
  return primitives::in_vectors(merges.splits(count) * 4);
}

uint32_t MergeSort::Plan::carried_between(uint64_t count) const {
  if (carried_bytes == 0) return 0;
  return std::min(passes(count), carries_indices && !config.indices ? 2u : 1u);
}

Result<MergeSort> MergeSort::create(const Context& context, const MergeSortConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_merge_config(kMergeSortName, "merge_sort", config); !status)
    return status.error();
  const primitives::MergeSortTuning tuning = primitives::merge_sort_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  plan->carries_indices = config.indices || config.value_bytes > 4;
  plan->carried_bytes = plan->carries_indices ? 4 : config.value_bytes;
  const bool has_positions = config.value_bytes != 0 || config.indices;
  const primitives::MergeKeys block_keys =
      primitives::merge_keys(config.key, config.own_kernels, has_positions, tuning.keys, tuning.keys_wide);
  // There built-in keys have their sides instead of their lowest bits.
  const primitives::MergeKeys tile_keys =
      primitives::merge_keys(config.key, config.own_kernels, false, tuning.merge_keys, tuning.merge_keys_wide);
  const primitives::MergeKeys small_keys =
      primitives::merge_keys(config.key, config.own_kernels, false, tuning.few_keys, tuning.few_keys_wide);
  plan->key_bytes = block_keys.bytes;
  const uint32_t shared_bytes = primitives::shared_bytes_of(state, plan->workgroup);
  uint32_t keys_per_lane = block_keys.keys_per_lane;
  while (keys_per_lane > 1 && plan->workgroup * keys_per_lane * block_keys.element_words * 4 > shared_bytes)
    keys_per_lane /= 2;
  plan->block_keys = plan->workgroup * keys_per_lane;
  plan->subgroup_keys = state.subgroup_size() * keys_per_lane;

  primitives::MergePasses& merges = plan->merges;
  const uint32_t tile_keys_per_lane = std::min(tile_keys.keys_per_lane, 2 * keys_per_lane);
  const uint32_t small_keys_per_lane = std::min(small_keys.keys_per_lane, 2 * keys_per_lane);
  merges.workgroup = plan->workgroup;
  merges.large_tile_keys = plan->workgroup * tile_keys_per_lane;
  merges.small_tile_keys = plan->workgroup * small_keys_per_lane;
  merges.direct_keys =
      uint64_t{tile_keys.element_words == 1 ? tuning.direct_tiles : tuning.direct_tiles_wide} * merges.large_tile_keys;
  merges.small_keys = tuning.few;

  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  const std::string variant = own != nullptr ? ".own.u32" : "", merge = "merge_sort_merge" + variant;
  primitives::PipelineBuilder builder(state, runtime::kernels::merge_sort(), plan->workgroup, own);
  primitives::set_keys(builder, config)
      .set(shader::merge_sort_carried::kCarriesIndices, plan->carries_indices)
      .set(shader::merge_sort_carried::kValueBytes, config.value_bytes)
      .set(shader::merge_sort::kMergeKeys, keys_per_lane)
      .set(shader::merge_sort_blocks::kHasPositions, has_positions || own != nullptr)
      .build(plan->blocks, "merge_sort_blocks" + variant)
      .set(shader::merge_sort::kMergeKeys, tile_keys_per_lane)
      .set(shader::merge_sort_merge::kHasSides, has_positions || own != nullptr)
      .set(shader::merge_sort_merge::kFindsCuts, false)
      .build(merges.partition, "merge_sort_partition" + variant)
      .build(merges.merge, merge)
      .set(shader::merge_sort_merge::kFindsCuts, true);
  if (merges.direct_keys > merges.small_keys) builder.build(merges.direct, merge);
  builder.set(shader::merge_sort::kMergeKeys, small_keys_per_lane);
  if (merges.small_keys != 0) builder.build(merges.small_merge, merge);
  if (!builder.status()) return builder.status().error();
  return MergeSort(std::move(plan));
} catch (...) {
  return runtime::caught();
}

MergeSort::MergeSort(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t MergeSort::block_keys() const noexcept { return plan_->block_keys; }

uint32_t MergeSort::tile_keys() const noexcept { return plan_->merges.large_tile_keys; }

uint32_t MergeSort::subgroup_keys() const noexcept { return plan_->subgroup_keys; }

VkDeviceSize MergeSort::scratch_size(uint64_t max_count) const noexcept {
  const Plan& plan = *plan_;
  // No call takes more.
  const uint64_t count = std::min(max_count, kMaxSearchKeys - 1);
  return plan.splits_bytes(count) + plan.keys_between(count) * primitives::in_vectors(count * plan.key_bytes) +
         plan.carried_between(count) * primitives::in_vectors(count * plan.carried_bytes);
}

Status MergeSort::record(VkCommandBuffer commands, const MergeSortArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const MergeSortConfig& config = plan.config;
  const uint64_t count = args.count.maximum();

  VkDeviceAddress keys = 0, keys_out = 0, values = 0, values_out = 0, indices_out = 0;
  shader::MergeSortPush push{};
  primitives::RecordCall call(*plan.state, kMergeSortName, commands);
  if (count >= kMaxSearchKeys) call.refuse("count", "is 2^32 or more: " + std::to_string(count));
  const uint64_t key_alignment = primitives::alignment_of(plan.key_bytes),
                 value_alignment = primitives::alignment_of(config.value_bytes);
  const uint64_t key_bytes = count * plan.key_bytes, value_bytes = count * config.value_bytes;
  call.read("keys", args.keys, key_bytes, key_alignment, keys)
      .write("keys_out", args.keys_out, config.keys ? key_bytes : 0, key_alignment, keys_out)
      .read("values", args.values, value_bytes, value_alignment, values)
      .write("values_out", args.values_out, value_bytes, value_alignment, values_out)
      .write("indices_out", args.indices_out, config.indices ? count * 4 : 0, 4, indices_out)
      .scratch(args.scratch, scratch_size(count), push.splits)
      .count("count", args.count, push.count, push.maximum, push.count_words);
  if (!call.accepted()) return call.status();
  if (count == 0) return {};

  if (plan.carries_indices) push.values = values;
  const uint64_t keys_bytes = primitives::in_vectors(key_bytes);
  const VkDeviceAddress keys_between = push.splits + plan.splits_bytes(count);
  const VkDeviceAddress carried_between = keys_between + plan.keys_between(count) * keys_bytes;
  const VkDeviceAddress carried_output = plan.carries_indices ? indices_out : values_out;
  const bool carried_is_output = config.indices || !plan.carries_indices;
  const uint32_t passes = plan.passes(count);
  const auto advance = [&](uint32_t dispatch, VkDeviceAddress from, VkDeviceAddress carried_from) {
    push.keys = from;
    push.keys_out = range_after(dispatch, passes, keys_out, keys_between, keys_bytes, config.keys);
    push.carried = carried_from;
    push.carried_out = 0;
    if (plan.carried_bytes != 0)
      push.carried_out = range_after(dispatch, passes, carried_output, carried_between,
                                     primitives::in_vectors(count * plan.carried_bytes), carried_is_output);
    push.values_out = plan.carries_indices && dispatch == passes ? values_out : 0;
  };

  advance(0, keys, plan.carries_indices ? 0 : values);
  call.dispatch(*plan.blocks, push, primitives::divided_up(count, plan.block_keys));
  uint64_t run = plan.block_keys;
  for (uint32_t pass = 1; pass <= passes; ++pass, run *= 2) {
    advance(pass, push.keys_out, push.carried_out);
    push.run = static_cast<uint32_t>(run);
    push.pair_shift = static_cast<uint32_t>(std::countr_zero(2 * run / plan.merges.tile_keys(count)));
    call.barrier();
    plan.merges.record(call, push, count);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
