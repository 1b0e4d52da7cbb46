// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/set_operation.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <tuple>

#include "merge/set_operation.h"
#include "primitives/core/arguments.hpp"
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

  // As kTileStep in set_operation_tiles.glsl.
  uint32_t tile_keys() const { return workgroup * lane_keys - 1; }
  uint64_t tiles(uint64_t keys) const { return keys / tile_keys() + (keys % tile_keys() != 0 ? 1 : 0); }
  /// Workgroups of the second and the third pass. They take turns of a bounded length, whatever the tuning says.
  uint64_t groups_of(uint64_t keys) const;
  /// Outputs that there can be.
  uint64_t most_outputs(uint64_t a, uint64_t b) const;
};

namespace {

constexpr const char* kName = "SetOperation";
constexpr uint64_t kMaxGroups = 65535;
constexpr uint64_t kMaxTilesOfGroup = 16384;
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
    return Error{ErrorCode::unsupported, std::string(kName) + ": there is no such operation"};
  return primitives::check_merge_config(kName, "set_operation", config);
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

uint64_t SetOperation::Plan::groups_of(uint64_t keys) const {
  const uint64_t all = tiles(keys);
  const uint64_t wanted = std::clamp<uint64_t>(all / kMaxTilesOfGroup + 1, groups, kMaxGroups);
  return std::clamp<uint64_t>(all, 1, wanted);
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

  // Ids from 2 on, as in ordered_key.glsl, set_operation_tiles.glsl, merge_key.glsl and set_operation_write.comp. Operations share them.
  const uint32_t constants[] = {key_words,
                                primitives::key_order(config.key),
                                plan->lane_keys,
                                config.order == SortOrder::descending ? 1u : 0u,
                                plan->key_bytes,
                                config.keys ? 1u : 0u,
                                config.indices ? 1u : 0u,
                                config.value_bytes};
  const std::span<const uint32_t> all(constants);
  const std::string variant = own != nullptr ? ".own.u32" : "";
  for (const auto& [pipeline, stem, constants_of_kernel] :
       {std::tuple(&plan->partition, "set_operation_partition", all.first(5)),
        std::tuple(&plan->count, "set_operation_count", all.first(5)),
        std::tuple(&plan->write, "set_operation_write", all)}) {
    Result<std::shared_ptr<const Pipeline>> built =
        state.pipeline(runtime::kernels::set_operation(), stem + variant, plan->workgroup, constants_of_kernel, own);
    if (!built) return built.error();
    *pipeline = *std::move(built);
  }
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
  const ContextState& state = *plan.state;
  const uint64_t key_bytes = plan.key_bytes, value_bytes = plan.config.value_bytes;
  const uint64_t a = args.count_a.maximum(), b = args.count_b.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (a >= kMaxSearchKeys) return primitives::argument_error(kName, "count_a", "is 2^32 or more: " + std::to_string(a));
  if (b >= kMaxSearchKeys || a + b >= kMaxSearchKeys)
    return primitives::argument_error(kName, "count_b", "is " + std::to_string(b) + ", with those of A 2^32 or more");
  const uint64_t room = std::min(args.max_output, plan.most_outputs(a, b));
  shader::SetOperationPush push{};
  primitives::RangeChecks ranges(state, kName);
  const uint64_t key_alignment = std::min<uint64_t>(key_bytes, 4), value_alignment = std::min<uint64_t>(value_bytes, 4);
  const bool has_values = value_bytes != 0, takes_b = (kept_of(plan.config.operation) & kSetKeptOfB) != 0;
  if (a != 0) push.keys_a = ranges.read("keys_a", args.keys_a, a * key_bytes, key_alignment);
  if (b != 0) push.keys_b = ranges.read("keys_b", args.keys_b, b * key_bytes, key_alignment);
  if (a != 0 && has_values) push.values_a = ranges.read("values_a", args.values_a, a * value_bytes, value_alignment);
  if (b != 0 && has_values && takes_b)
    push.values_b = ranges.read("values_b", args.values_b, b * value_bytes, value_alignment);
  if (room != 0) {
    if (plan.config.keys) push.keys_out = ranges.write("keys_out", args.keys_out, room * key_bytes, key_alignment);
    if (has_values) push.values_out = ranges.write("values_out", args.values_out, room * value_bytes, value_alignment);
    if (plan.config.indices) push.indices_out = ranges.write("indices_out", args.indices_out, room * 4, 4);
  }
  push.total = ranges.counts("total", args.total, 1);
  push.status = ranges.write("status", args.status, 4, 4);
  push.scratch = ranges.scratch(args.scratch, scratch_size(a, b));
  push.count_a = ranges.count(args.count_a, "count_a");
  push.count_b = ranges.count(args.count_b, "count_b");
  if (Status status = ranges.finish(); !status) return status;

  const uint64_t tiles = plan.tiles(a + b);
  const uint64_t groups = plan.groups_of(a + b);
  push.maximum_a = static_cast<uint32_t>(a);
  push.maximum_b = static_cast<uint32_t>(b);
  push.max_output = static_cast<uint32_t>(room);
  push.group_tiles = static_cast<uint32_t>((tiles + groups - 1) / groups);
  push.words = static_cast<uint32_t>(args.count_a.range().size / 4 | args.count_b.range().size / 4 << 2 |
                                     args.total.size / 4 << 4);
  push.kept = kept_of(plan.config.operation);
  const uint32_t max_groups = state.traits().max_workgroup_count_x;
  const primitives::DispatchSize swept{static_cast<uint32_t>(groups), 1};
  primitives::dispatch(state, commands, *plan.partition, push,
                       primitives::dispatch_size(tiles / plan.workgroup + 1, max_groups));
  primitives::barrier_between(state, commands);
  primitives::dispatch(state, commands, *plan.count, push, swept);
  primitives::barrier_between(state, commands);
  primitives::dispatch(state, commands, *plan.write, push, swept);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
