// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge.hpp>

#include <algorithm>
#include <span>

#include "merge/merge.h"
#include "primitives/core/arguments.hpp"
#include "primitives/merge/merge_keys.hpp"
#include "primitives/merge/merge_passes.hpp"
#include "primitives/merge/merge_tuning.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::kMaxSearchKeys;
using runtime::ContextState;
using runtime::Pipeline;

const char* name_of(MergeForm form) noexcept {
  switch (form) {
    case MergeForm::automatic: return "automatic";
    case MergeForm::registers: return "registers";
    case MergeForm::streaming: return "streaming";
  }
  return "?";
}

struct Merge::Plan {
  std::shared_ptr<const ContextState> state;
  MergeConfig config;
  uint32_t key_bytes = 0;
  uint32_t workgroup = 0;
  uint32_t subgroup_keys = 0;
  MergeForm form = MergeForm::registers;
  primitives::MergePasses merges;
};

namespace {

constexpr const char* kName = "Merge";

// Of buffers and notes in merge_stream.comp, where a lane has more than one key of a step.
constexpr uint32_t kMaxStreamBytes = 8 << 10;

}  // namespace

Result<Merge> Merge::create(const Context& context, const MergeConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_merge_config(kName, "merge", config); !status) return status.error();
  const primitives::MergeTuning tuning = primitives::merge_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  // Built-in keys have their sides in place of their lowest bits.
  const bool has_sides = config.value_bytes != 0 || config.indices;
  const primitives::MergeKeys keys = primitives::merge_keys(
      config.key, config.own_kernels, false, has_sides ? tuning.keys_sides : tuning.keys, tuning.keys_wide);
  plan->key_bytes = keys.bytes;
  plan->form = config.form;
  if (plan->form == MergeForm::automatic) plan->form = tuning.form == 0 ? MergeForm::registers : MergeForm::streaming;
  const bool is_streaming = plan->form == MergeForm::streaming;
  // A key in either buffer, and a note.
  const uint32_t stream_bytes = (2 * keys.words + 1) * 4;
  const uint32_t step_keys = std::clamp(kMaxStreamBytes / (plan->workgroup * stream_bytes), 1u, tuning.stream_keys);
  const uint32_t lane_keys = is_streaming ? step_keys * tuning.stream_steps : keys.of_lane;
  plan->subgroup_keys = is_streaming ? plan->workgroup * step_keys : state.subgroup_size() * keys.of_lane;

  const std::string variant = own != nullptr ? ".own.u32" : "";
  Status status;
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const char* stem, uint32_t of_lane,
                         size_t constants_of_kernel, bool finds_cuts = false) {
    if (!status) return;
    // Ids from 2 on, as in ordered_key.glsl, merge_ranges.glsl, merge_key.glsl and, behind the keys' own, merge_tiles.comp and
    // merge_stream.comp.
    const uint32_t constants[] = {keys.words,
                                  keys.order,
                                  of_lane,
                                  config.order == SortOrder::descending ? 1u : 0u,
                                  keys.bytes,
                                  has_sides ? 1u : 0u,
                                  config.keys ? 1u : 0u,
                                  config.indices ? 1u : 0u,
                                  config.value_bytes,
                                  step_keys,
                                  finds_cuts ? 1u : 0u};
    Result<std::shared_ptr<const Pipeline>> built =
        state.pipeline(runtime::kernels::merge(), stem + variant, plan->workgroup,
                       std::span(constants).first(constants_of_kernel), own);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  primitives::MergePasses& merges = plan->merges;
  merges.workgroup = plan->workgroup;
  merges.large_tile_keys = plan->workgroup * lane_keys;
  build(merges.partition, "merge_partition", lane_keys, 5);
  build(merges.merge, is_streaming ? "merge_stream" : "merge_tiles", lane_keys, is_streaming ? 10 : 11);
  if (!is_streaming) {
    const uint32_t few_of_lane =
        primitives::merge_keys(config.key, config.own_kernels, false, tuning.few_keys, tuning.few_keys_wide).of_lane;
    merges.few_tile_keys = plan->workgroup * few_of_lane;
    merges.direct_keys =
        uint64_t{keys.element_words == 1 ? tuning.direct_tiles : tuning.direct_tiles_wide} * merges.large_tile_keys;
    merges.few_keys = tuning.few;
    if (merges.direct_keys > merges.few_keys) build(merges.direct, "merge_tiles", lane_keys, 11, true);
    if (merges.few_keys != 0) build(merges.few, "merge_tiles", few_of_lane, 11, true);
  }
  if (!status) return status.error();
  return Merge(std::move(plan));
} catch (...) {
  return runtime::caught();
}

Merge::Merge(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

MergeForm Merge::form() const noexcept { return plan_->form; }

uint32_t Merge::tile_keys() const noexcept { return plan_->merges.large_tile_keys; }

uint32_t Merge::subgroup_keys() const noexcept { return plan_->subgroup_keys; }

VkDeviceSize Merge::scratch_size(uint64_t max_a, uint64_t max_b) const noexcept {
  // No call takes more.
  const uint64_t a = std::min(max_a, kMaxSearchKeys), b = std::min(max_b, kMaxSearchKeys);
  return plan_->merges.splits(std::min(a + b, kMaxSearchKeys)) * 4;
}

Status Merge::record(VkCommandBuffer commands, const MergeArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint64_t key_bytes = plan.key_bytes, value_bytes = plan.config.value_bytes;
  const uint64_t a = args.count_a.maximum(), b = args.count_b.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (a >= kMaxSearchKeys) return primitives::argument_error(kName, "count_a", "is 2^32 or more: " + std::to_string(a));
  if (b >= kMaxSearchKeys || a + b >= kMaxSearchKeys)
    return primitives::argument_error(
        kName, "count_b", "is " + std::to_string(b) + ", with those of A 2^32 or more: merge parts of both");
  shader::MergePush push{};
  primitives::RangeChecks ranges(state, kName);
  const uint64_t key_alignment = std::min<uint64_t>(key_bytes, 4), value_alignment = std::min<uint64_t>(value_bytes, 4);
  const bool has_values = value_bytes != 0;
  if (a != 0) push.keys_a = ranges.read("keys_a", args.keys_a, a * key_bytes, key_alignment);
  if (b != 0) push.keys_b = ranges.read("keys_b", args.keys_b, b * key_bytes, key_alignment);
  if (a != 0 && has_values) push.values_a = ranges.read("values_a", args.values_a, a * value_bytes, value_alignment);
  if (b != 0 && has_values) push.values_b = ranges.read("values_b", args.values_b, b * value_bytes, value_alignment);
  if (a + b != 0) {
    if (plan.config.keys) push.keys_out = ranges.write("keys_out", args.keys_out, (a + b) * key_bytes, key_alignment);
    if (has_values)
      push.values_out = ranges.write("values_out", args.values_out, (a + b) * value_bytes, value_alignment);
    if (plan.config.indices) push.indices_out = ranges.write("indices_out", args.indices_out, (a + b) * 4, 4);
  }
  push.splits = ranges.scratch(args.scratch, scratch_size(a, b));
  push.count_a = ranges.count(args.count_a, "count_a");
  push.count_b = ranges.count(args.count_b, "count_b");
  if (Status status = ranges.finish(); !status) return status;
  if (a + b == 0) return {};

  push.maximum_a = static_cast<uint32_t>(a);
  push.maximum_b = static_cast<uint32_t>(b);
  push.count_a_words = static_cast<uint32_t>(args.count_a.range().size / 4);
  push.count_b_words = static_cast<uint32_t>(args.count_b.range().size / 4);
  plan.merges.record(state, commands, push, a + b);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
