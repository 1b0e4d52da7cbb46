// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce.hpp>

#include <algorithm>

#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "primitives/scan/scan_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "scan/reduce.h"
#include "scan/reduce_pass.h"
#include "weft/operator.h"
#include "weft/tile.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct Reduce::Plan {
  std::shared_ptr<const ContextState> state;
  ReduceConfig config;
  primitives::ReduceTuning tuning;
  bool arg = false;
  uint32_t item_bytes = 0;
  uint32_t result_bytes = 0;
  uint32_t vector_items = 0;
  uint32_t tile_items = 0;
  uint32_t partial_bytes = 0;
  std::shared_ptr<const Pipeline> reduce, finish;

  uint64_t tiles(uint64_t count, uint32_t head) const { return primitives::divided_up(count + head, tile_items); }
};

namespace {

constexpr const char* kReduceName = "Reduce";
constexpr uint64_t kReduceMaxTiles = uint64_t{1} << 31;
constexpr VkDeviceSize kMinScratch = 16;

Status check_config(const ContextState& state, const ReduceConfig& config) {
  if (config.own_kernels) return primitives::check_own_kernels(kReduceName, *config.own_kernels, "reduce");
  return primitives::check_operator(state, kReduceName, config.op, config.item, config.accumulator);
}

}  // namespace

Result<Reduce> Reduce::create(const Context& context, const ReduceConfig& config) noexcept try {
  const ContextState& state = *context.state();
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (const Status status = check_config(state, config); !status) return status.error();

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->tuning = primitives::reduce_tuning.of(state);
  plan->tuning.workgroup = std::min(plan->tuning.workgroup, state.traits().max_workgroup_invocations);
  std::string types;
  if (own != nullptr) {
    types = ".own.own";
    plan->item_bytes = own->item_bytes();
    plan->result_bytes = plan->partial_bytes = own->accumulator_bytes();
    plan->vector_items = primitives::own_vector_items(plan->item_bytes, 4);
  } else {
    plan->arg = config.op == Op::arg_min || config.op == Op::arg_max;
    types = std::string(".") + name_of(config.item) + "." + (plan->arg ? "arg" : name_of(config.accumulator));
    plan->item_bytes = size_of(config.item);
    plan->result_bytes = plan->arg ? sizeof(ArgResult) : size_of(config.accumulator);
    plan->partial_bytes = plan->arg ? 16 : primitives::register_bytes(config.accumulator);
    plan->vector_items = 16 / plan->item_bytes;
  }
  plan->tile_items = plan->tuning.workgroup * plan->tuning.rows * plan->vector_items;

  primitives::PipelineBuilder builder(state, runtime::kernels::reduce(), plan->tuning.workgroup, own);
  builder.set(shader::combine::kOp, own != nullptr ? 0 : static_cast<uint32_t>(config.op))
      .set(shader::tile::kRows, plan->tuning.rows)
      .set(shader::reduce_pass::kFinish, false)
      .build(plan->reduce, "reduce" + types)
      .set(shader::reduce_pass::kFinish, true)
      .build(plan->finish, "reduce" + types);
  if (!builder.status()) return builder.status().error();
  return Reduce(std::move(plan));
} catch (...) {
  return runtime::caught();
}

Reduce::Reduce(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t Reduce::tile_items() const noexcept { return plan_->tile_items; }

VkDeviceSize Reduce::scratch_size(uint64_t max_count) const noexcept {
  const uint64_t tiles = plan_->tiles(max_count, plan_->vector_items - 1);
  const uint64_t groups = std::min<uint64_t>(tiles, plan_->tuning.groups);
  return std::max<VkDeviceSize>(kMinScratch, primitives::in_vectors(groups * plan_->partial_bytes));
}

Status Reduce::record(VkCommandBuffer commands, const ReduceArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint32_t item_bytes = plan.item_bytes;
  const uint32_t result_bytes = plan.result_bytes;
  const uint64_t maximum = args.count.maximum();

  shader::ReducePush push{};
  primitives::RecordCall call(*plan.state, kReduceName, commands);
  call.refuse_if(plan.arg && args.initial, "initial", "does not go with arg_min and arg_max")
      .refuse_if(plan.config.own_kernels && args.initial, "initial", "does not go with own_kernels");
  if (maximum / plan.tile_items >= kReduceMaxTiles)
    call.refuse("count", "is more than 2^31 tiles hold: " + std::to_string(maximum));
  // Kernels number the items of a workgroup's run of tiles in 32 bits to find the best.
  if (plan.arg && maximum / plan.tuning.groups >= (uint64_t{1} << 32) - 2 * uint64_t{plan.tile_items})
    call.refuse("count", "is more than arg_min and arg_max can take: " + std::to_string(maximum));
  call.read("input", args.input, maximum * item_bytes, primitives::alignment_of(item_bytes), push.items)
      .write("output", args.output, result_bytes, primitives::alignment_of(result_bytes), push.result)
      .scratch(args.scratch, scratch_size(maximum), push.partials)
      .count("count", args.count, push.count, push.count_value, push.count_words);
  if (!call.accepted()) return call.status();

  push.head = primitives::head_items(push.items, plan.vector_items * item_bytes, item_bytes);
  const uint64_t tiles = std::max<uint64_t>(1, plan.tiles(maximum, push.head));
  const uint64_t tiles_per_workgroup = primitives::divided_up(tiles, plan.tuning.groups);
  push.tiles_per_workgroup = static_cast<uint32_t>(tiles_per_workgroup);
  push.partial_count = static_cast<uint32_t>(primitives::divided_up(tiles, tiles_per_workgroup));
  push.initial = args.initial ? args.initial->bits : primitives::identity_bits(plan.config.op, plan.config.accumulator);
  call.dispatch(*plan.reduce, push, push.partial_count);
  if (push.partial_count > 1) {
    call.barrier();
    call.dispatch(*plan.finish, push, 1);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
