// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge_sort.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include "primitives/core/arguments.hpp"
#include "primitives/merge/merge_keys.hpp"
#include "primitives/merge/merge_passes.hpp"
#include "primitives/sort/sort_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "sort/merge_sort.h"

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
    const uint64_t runs = std::max<uint64_t>(1, count / block_keys + (count % block_keys != 0 ? 1 : 0));
    return static_cast<uint32_t>(std::bit_width(runs - 1));
  }

  /// Of scratch: the splits, then keys as often as keys_between(), then what is carried as often as carried_between().
  uint64_t splits_bytes(uint64_t count) const;
  uint32_t keys_between(uint64_t count) const { return std::min(passes(count), config.keys ? 1u : 2u); }
  uint32_t carried_between(uint64_t count) const;
};

namespace {

constexpr const char* kName = "MergeSort";

// Where the keys are after each dispatch, and what goes with them: the last writes the outputs, and those before it alternate.
VkDeviceAddress place_after(uint32_t dispatch, uint32_t last, VkDeviceAddress output, VkDeviceAddress between,
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
  if (const Status status = primitives::check_merge_config(kName, "merge_sort", config); !status) return status.error();
  const primitives::MergeSortTuning tuning = primitives::merge_sort_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  plan->carries_indices = config.indices || config.value_bytes > 4;
  plan->carried_bytes = plan->carries_indices ? 4 : config.value_bytes;
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  const bool has_places = config.value_bytes != 0 || config.indices;
  const primitives::MergeKeys of_block =
      primitives::merge_keys(config.key, config.own_kernels, has_places, tuning.keys, tuning.keys_wide);
  // There built-in keys have their sides in place of their lowest bits.
  const primitives::MergeKeys of_tile =
      primitives::merge_keys(config.key, config.own_kernels, false, tuning.merge_keys, tuning.merge_keys_wide);
  const primitives::MergeKeys of_few =
      primitives::merge_keys(config.key, config.own_kernels, false, tuning.few_keys, tuning.few_keys_wide);
  plan->key_bytes = of_block.bytes;
  // What cuts and emulated subgroups take, and something for the driver, is not to be had for a block.
  const uint32_t reserved = 2048 + (state.subgroup_backend() == SubgroupBackend::emulated ? 8 * plan->workgroup : 0);
  const uint32_t shared_bytes = std::max(state.traits().shared_memory_bytes, reserved) - reserved;
  uint32_t keys_of_lane = of_block.of_lane;
  while (keys_of_lane > 1 && plan->workgroup * keys_of_lane * of_block.element_words * 4 > shared_bytes)
    keys_of_lane /= 2;
  plan->block_keys = plan->workgroup * keys_of_lane;
  plan->subgroup_keys = state.subgroup_size() * keys_of_lane;

  const std::string variant = own != nullptr ? ".own.u32" : "";
  Status status;
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const char* stem, uint32_t of_lane,
                         size_t constants_of_kernel, bool finds_cuts = false) {
    if (!status) return;
    // Ids from 2 on, as in ordered_key.glsl, merge_sort_ranges.glsl, merge_key.glsl and the kernels.
    const uint32_t constants[] = {of_block.words,
                                  of_block.order,
                                  of_lane,
                                  config.order == SortOrder::descending ? 1u : 0u,
                                  of_block.bytes,
                                  of_block.has_places ? 1u : 0u,
                                  plan->carries_indices ? 1u : 0u,
                                  config.value_bytes,
                                  finds_cuts ? 1u : 0u};
    Result<std::shared_ptr<const Pipeline>> built =
        state.pipeline(runtime::kernels::merge_sort(), stem + variant, plan->workgroup,
                       std::span(constants).first(constants_of_kernel), own);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  build(plan->blocks, "merge_sort_blocks", keys_of_lane, 8);
  primitives::MergePasses& merges = plan->merges;
  const uint32_t merged_of_lane = std::min(of_tile.of_lane, 2 * keys_of_lane);
  const uint32_t few_of_lane = std::min(of_few.of_lane, 2 * keys_of_lane);
  merges.workgroup = plan->workgroup;
  merges.large_tile_keys = plan->workgroup * merged_of_lane;
  merges.few_tile_keys = plan->workgroup * few_of_lane;
  merges.direct_keys =
      uint64_t{of_tile.element_words == 1 ? tuning.direct_tiles : tuning.direct_tiles_wide} * merges.large_tile_keys;
  merges.few_keys = tuning.few;
  build(merges.partition, "merge_sort_partition", merged_of_lane, 5);
  build(merges.merge, "merge_sort_merge", merged_of_lane, 9);
  if (merges.direct_keys > merges.few_keys) build(merges.direct, "merge_sort_merge", merged_of_lane, 9, true);
  if (merges.few_keys != 0) build(merges.few, "merge_sort_merge", few_of_lane, 9, true);
  if (!status) return status.error();
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
  const ContextState& state = *plan.state;
  const uint64_t count = args.count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (count >= kMaxSearchKeys)
    return primitives::argument_error(kName, "count", "is 2^32 or more: " + std::to_string(count));
  VkDeviceAddress keys = 0, keys_out = 0, values = 0, values_out = 0, indices_out = 0;
  primitives::RangeChecks ranges(state, kName);
  if (count != 0) {
    const uint64_t key_alignment = std::min(plan.key_bytes, 4u), value_alignment = std::min(config.value_bytes, 4u);
    const uint64_t value_bytes = count * config.value_bytes;
    keys = ranges.read("keys", args.keys, count * plan.key_bytes, key_alignment);
    if (config.keys) keys_out = ranges.write("keys_out", args.keys_out, count * plan.key_bytes, key_alignment);
    if (config.value_bytes != 0) {
      values = ranges.read("values", args.values, value_bytes, value_alignment);
      values_out = ranges.write("values_out", args.values_out, value_bytes, value_alignment);
    }
    if (config.indices) indices_out = ranges.write("indices_out", args.indices_out, count * 4, 4);
  }
  const VkDeviceAddress scratch = ranges.scratch(args.scratch, scratch_size(count));
  shader::MergeSortPush push{};
  push.count = ranges.count(args.count);
  if (Status status = ranges.finish(); !status) return status;
  if (count == 0) return {};

  push.splits = scratch;
  push.maximum = static_cast<uint32_t>(count);
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  if (plan.carries_indices) push.values = values;
  const uint64_t keys_bytes = primitives::in_vectors(count * plan.key_bytes);
  const VkDeviceAddress keys_between = scratch + plan.splits_bytes(count);
  const VkDeviceAddress carried_between = keys_between + plan.keys_between(count) * keys_bytes;
  const VkDeviceAddress carried_output = plan.carries_indices ? indices_out : values_out;
  const bool carried_is_output = config.indices || !plan.carries_indices;
  const uint32_t passes = plan.passes(count), max_groups = state.traits().max_workgroup_count_x;
  const auto advance = [&](uint32_t dispatch, VkDeviceAddress from, VkDeviceAddress carried_from) {
    push.keys = from;
    push.keys_out = place_after(dispatch, passes, keys_out, keys_between, keys_bytes, config.keys);
    push.carried = carried_from;
    push.carried_out = 0;
    if (plan.carried_bytes != 0)
      push.carried_out = place_after(dispatch, passes, carried_output, carried_between,
                                     primitives::in_vectors(count * plan.carried_bytes), carried_is_output);
    push.values_out = plan.carries_indices && dispatch == passes ? values_out : 0;
  };

  advance(0, keys, plan.carries_indices ? 0 : values);
  const uint64_t blocks = (count + plan.block_keys - 1) / plan.block_keys;
  primitives::dispatch(state, commands, *plan.blocks, push, primitives::dispatch_size(blocks, max_groups));
  uint64_t run = plan.block_keys;
  for (uint32_t pass = 1; pass <= passes; ++pass, run *= 2) {
    advance(pass, push.keys_out, push.carried_out);
    push.run = static_cast<uint32_t>(run);
    push.pair_shift = static_cast<uint32_t>(std::countr_zero(2 * run / plan.merges.tile_keys(count)));
    primitives::barrier_between(state, commands);
    plan.merges.record(state, commands, push, count);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
