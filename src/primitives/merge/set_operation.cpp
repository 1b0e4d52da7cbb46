// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/set_operation.hpp>

#include <algorithm>
#include <string>

#include "merge/set_operation.h"
#include "merge/set_operation_write.h"
#include "primitives/core/record_call.hpp"
#include "primitives/merge/merge_keys.hpp"
#include "primitives/merge/merge_tuning.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::kMaxSearchKeys;
using runtime::ContextState;
using runtime::Pipeline;

struct SetOperation::Plan {
  std::shared_ptr<const ContextState> state;
  SetOperationConfig config;
  uint32_t key_bytes = 0;
  uint32_t workgroup = 0;
  uint32_t lane_keys = 0;
  uint32_t groups = 0;
  std::shared_ptr<const Pipeline> partition, count, write;

  // As kTileItems in set_operation_tiles.glsl.
  uint32_t tile_keys() const { return workgroup * lane_keys - 1; }
  uint64_t tiles(uint64_t keys) const { return primitives::divided_up(keys, tile_keys()); }
  /// Workgroups of the second and the third pass.
  uint64_t groups_of(uint64_t keys) const { return primitives::groups_of(tiles(keys), groups); }
  /// Outputs that there can be.
  uint64_t most_outputs(uint64_t a, uint64_t b) const;
};

namespace {

constexpr const char* kSetOperationName = "SetOperation";
constexpr uint32_t kMaxTileBytes = 12 * 1024;  // of shared memory

uint32_t kept_of(SetOperator operation) {
  switch (operation) {
    case SetOperator::set_union: return kSetKeptOfA | kSetKeptOfB | kSetKeptPairs;
    case SetOperator::set_intersection: return kSetKeptPairs;
    case SetOperator::set_difference: return kSetKeptOfA;
    case SetOperator::set_symmetric_difference: return kSetKeptOfA | kSetKeptOfB;
  }
  return 0;
}

Status check_config(const SetOperationConfig& config) {
  if (kept_of(config.operation) == 0)
    return Error{ErrorCode::unsupported, std::string(kSetOperationName) + ": there is no such operation"};
  return primitives::check_merge_config(kSetOperationName, "set_operation", config);
}

}  // namespace

const char* name_of(SetOperator operation) noexcept {
  switch (operation) {
    case SetOperator::set_union: return "set_union";
    case SetOperator::set_intersection: return "set_intersection";
    case SetOperator::set_difference: return "set_difference";
    case SetOperator::set_symmetric_difference: return "set_symmetric_difference";
  }
  return "unknown";
}

uint64_t SetOperation::Plan::most_outputs(uint64_t a, uint64_t b) const {
  if (config.operation == SetOperator::set_intersection) return std::min(a, b);
  return config.operation == SetOperator::set_difference ? a : a + b;
}

Result<SetOperation> SetOperation::create(const Context& context, const SetOperationConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = check_config(config); !status) return status.error();
  const primitives::SetOperationTuning tuning = primitives::set_operation_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  plan->groups = tuning.groups;
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  plan->key_bytes = own != nullptr ? own->item_bytes() : size_of(config.key);
  const uint32_t key_words = std::max(1u, plan->key_bytes / 4);
  const uint32_t wanted = key_words == 1 ? tuning.keys : key_words == 2 ? tuning.keys_wide : (tuning.keys_wide + 1) / 2;
  plan->lane_keys = std::clamp(wanted, 1u, kMaxTileBytes / (plan->workgroup * 4 * key_words));

  const std::string variant = own != nullptr ? ".own.u32" : "";
  // Operations share them.
  primitives::PipelineBuilder builder(state, runtime::kernels::set_operation(), plan->workgroup, own);
  primitives::set_keys(builder, config)
      .set(shader::set_operation::kSetKeys, plan->lane_keys)
      .set(shader::set_operation_write::kWritesKeys, config.keys)
      .set(shader::set_operation_write::kWritesIndices, config.indices)
      .set(shader::set_operation_write::kValueBytes, config.value_bytes)
      .build(plan->partition, "set_operation_partition" + variant)
      .build(plan->count, "set_operation_count" + variant)
      .build(plan->write, "set_operation_write" + variant);
  if (!builder.status()) return builder.status().error();
  return SetOperation(std::move(plan));
} catch (...) {
  return runtime::caught();
}

SetOperation::SetOperation(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t SetOperation::tile_keys() const noexcept { return plan_->tile_keys(); }

uint32_t SetOperation::lane_keys() const noexcept { return plan_->lane_keys; }

VkDeviceSize SetOperation::scratch_size(uint64_t max_a, uint64_t max_b) const noexcept {
  // No call takes more.
  const uint64_t a = std::min(max_a, kMaxSearchKeys), b = std::min(max_b, kMaxSearchKeys);
  const uint64_t keys = std::min(a + b, kMaxSearchKeys);
  return (plan_->tiles(keys) + 1) * 8 + plan_->groups_of(keys) * 4;
}

Status SetOperation::record(VkCommandBuffer commands, const SetOperationArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t key_bytes = plan.key_bytes, value_bytes = plan.config.value_bytes;
  const uint64_t a = args.count_a.maximum(), b = args.count_b.maximum();

  shader::SetOperationPush push{};
  primitives::RecordCall call(*plan.state, kSetOperationName, commands);
  if (a >= kMaxSearchKeys) call.refuse("count_a", "is 2^32 or more: " + std::to_string(a));
  if (b >= kMaxSearchKeys || a + b >= kMaxSearchKeys)
    call.refuse("count_b", "is " + std::to_string(b) + ", with those of A 2^32 or more");
  const uint64_t room = std::min(args.max_output, plan.most_outputs(a, b));
  const uint64_t key_alignment = primitives::alignment_of(plan.key_bytes);
  const uint64_t value_alignment = primitives::alignment_of(plan.config.value_bytes);
  const bool takes_b = (kept_of(plan.config.operation) & kSetKeptOfB) != 0;
  uint32_t a_words = 0, b_words = 0;
  call.read("keys_a", args.keys_a, a * key_bytes, key_alignment, push.keys_a)
      .read("keys_b", args.keys_b, b * key_bytes, key_alignment, push.keys_b)
      .read("values_a", args.values_a, a * value_bytes, value_alignment, push.values_a)
      .read("values_b", args.values_b, takes_b ? b * value_bytes : 0, value_alignment, push.values_b)
      .write("keys_out", args.keys_out, plan.config.keys ? room * key_bytes : 0, key_alignment, push.keys_out)
      .write("values_out", args.values_out, room * value_bytes, value_alignment, push.values_out)
      .write("indices_out", args.indices_out, plan.config.indices ? room * 4 : 0, 4, push.indices_out)
      .counts("total", args.total, 1, push.total)
      .write("status", args.status, 4, 4, push.status)
      .scratch(args.scratch, scratch_size(a, b), push.scratch)
      .count("count_a", args.count_a, push.count_a, push.maximum_a, a_words)
      .count("count_b", args.count_b, push.count_b, push.maximum_b, b_words);
  if (!call.accepted()) return call.status();

  const uint64_t tiles = plan.tiles(a + b);
  const uint64_t groups = plan.groups_of(a + b);
  push.max_output = static_cast<uint32_t>(room);
  push.group_tiles = static_cast<uint32_t>(primitives::divided_up(tiles, groups));
  push.words = a_words | b_words << 2 | static_cast<uint32_t>(args.total.size / 4) << 4;
  push.kept = kept_of(plan.config.operation);
  call.dispatch(*plan.partition, push, tiles / plan.workgroup + 1);
  call.barrier();
  call.dispatch(*plan.count, push, groups);
  call.barrier();
  call.dispatch(*plan.write, push, groups);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
