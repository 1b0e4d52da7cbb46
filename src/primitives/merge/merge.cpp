// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge.hpp>

#include <algorithm>

#include "merge/merge_stream.h"
#include "primitives/merge/merge_passes.hpp"
#include "primitives/merge/merge_tuning.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::kMaxSearchKeys;
using runtime::ContextState;

struct Merge::Plan {
  std::shared_ptr<const ContextState> state;
  MergeConfig config;
  uint32_t key_bytes = 0;
  uint32_t workgroup = 0;
  uint32_t subgroup_keys = 0;
  primitives::MergePasses merges;
};

namespace {

constexpr const char* kMergeName = "Merge";

// Of buffers and records in merge_stream.comp, where a lane has more than one key of a step.
constexpr uint32_t kMaxStreamBytes = 8 << 10;

}  // namespace

Result<Merge> Merge::create(const Context& context, const MergeConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_merge_config(kMergeName, "merge", config); !status) return status.error();
  const primitives::MergeTuning tuning = primitives::merge_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  // Built-in keys have their sides instead of their lowest bits.
  const bool has_sides = config.value_bytes != 0 || config.indices;
  const primitives::MergeKeys keys = primitives::merge_keys(
      config.key, config.own_kernels, false,
      config.indices || config.value_bytes > 4 ? tuning.keys_indices : tuning.keys, tuning.keys_wide);
  plan->key_bytes = keys.bytes;
  const bool is_streaming = tuning.form == 1;
  // A key in either buffer, and a note.
  const uint32_t stream_bytes = (2 * keys.words + 1) * 4;
  const uint32_t step_keys = std::clamp(kMaxStreamBytes / (plan->workgroup * stream_bytes), 1u, tuning.stream_keys);
  const uint32_t lane_keys = is_streaming ? step_keys * tuning.stream_steps : keys.keys_per_lane;
  plan->subgroup_keys = is_streaming ? plan->workgroup * step_keys : state.subgroup_size() * lane_keys;

  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  const std::string variant = own != nullptr ? ".own.u32" : "";
  primitives::PipelineBuilder builder(state, runtime::kernels::merge_partition(), plan->workgroup, own);
  primitives::set_keys(builder, config)
      .set(shader::merge::kMergeKeys, lane_keys)
      .set(shader::merge_outputs::kWritesKeys, config.keys)
      .set(shader::merge_outputs::kWritesIndices, config.indices)
      .set(shader::merge_outputs::kValueBytes, config.value_bytes);
  primitives::MergePasses& merges = plan->merges;
  merges.workgroup = plan->workgroup;
  builder.build(merges.partition, "merge_partition" + variant);
  if (own == nullptr) builder.from(runtime::kernels::merge());
  if (is_streaming) {
    merges.large_tile_keys = plan->workgroup * lane_keys;
    builder.set(shader::merge_stream::kStepLaneKeys, step_keys).build(merges.merge, "merge_stream" + variant);
  } else {
    const primitives::MergeKeys few =
        primitives::merge_keys(config.key, config.own_kernels, false, tuning.few_keys, tuning.few_keys_wide);
    builder.set(shader::merge_tile_part::kHasSides, has_sides);
    merges.build(builder, tuning, keys, few, "merge_tiles" + variant);
  }
  if (!builder.status()) return builder.status().error();
  return Merge(std::move(plan));
} catch (...) {
  return runtime::caught();
}

Merge::Merge(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t Merge::tile_keys() const noexcept { return plan_->merges.large_tile_keys; }

uint32_t Merge::subgroup_keys() const noexcept { return plan_->subgroup_keys; }

VkDeviceSize Merge::scratch_size(uint64_t max_a, uint64_t max_b) const noexcept {
  // No call takes more.
  const uint64_t a = std::min(max_a, kMaxSearchKeys), b = std::min(max_b, kMaxSearchKeys);
  return plan_->merges.splits(std::min(a + b, kMaxSearchKeys)) * 4;
}

Status Merge::record(VkCommandBuffer commands, const MergeArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t key_bytes = plan.key_bytes, value_bytes = plan.config.value_bytes;
  const uint64_t a = args.count_a.maximum(), b = args.count_b.maximum();

  shader::MergePush push{};
  primitives::RecordCall call(*plan.state, kMergeName, commands);
  if (a >= kMaxSearchKeys) call.refuse("count_a", "is 2^32 or more: " + std::to_string(a));
  if (b >= kMaxSearchKeys || a + b >= kMaxSearchKeys)
    call.refuse("count_b", "is " + std::to_string(b) + ", with those of A 2^32 or more: merge parts of both");
  const uint64_t key_alignment = primitives::alignment_of(plan.key_bytes);
  const uint64_t value_alignment = primitives::alignment_of(plan.config.value_bytes);
  call.read("keys_a", args.keys_a, a * key_bytes, key_alignment, push.keys_a)
      .read("keys_b", args.keys_b, b * key_bytes, key_alignment, push.keys_b)
      .read("values_a", args.values_a, a * value_bytes, value_alignment, push.values_a)
      .read("values_b", args.values_b, b * value_bytes, value_alignment, push.values_b)
      .write("keys_out", args.keys_out, plan.config.keys ? (a + b) * key_bytes : 0, key_alignment, push.keys_out)
      .write("values_out", args.values_out, (a + b) * value_bytes, value_alignment, push.values_out)
      .write("indices_out", args.indices_out, plan.config.indices ? (a + b) * 4 : 0, 4, push.indices_out)
      .scratch(args.scratch, scratch_size(a, b), push.splits)
      .count("count_a", args.count_a, push.count_a, push.maximum_a, push.count_a_words)
      .count("count_b", args.count_b, push.count_b, push.maximum_b, push.count_b_words);
  if (!call.accepted()) return call.status();
  if (a + b == 0) return {};
  plan.merges.record(call, push, a + b);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
