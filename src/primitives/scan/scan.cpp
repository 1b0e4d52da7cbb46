// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan.hpp>

#include <algorithm>

#include "primitives/core/prefix_pass.hpp"
#include "primitives/scan/scan_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "scan/reduce.h"
#include "scan/scan.h"
#include "weft/operator.h"
#include "weft/tile_scan.h"

namespace weft {

using primitives::PipelineBuilder;
using primitives::PrefixPass;
using primitives::RecordCall;
using runtime::ContextState;

struct Scan::Plan {
  std::shared_ptr<const ContextState> state;
  ScanConfig config;
  PrefixPass pass;
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  uint32_t vector_items = 0;
};

namespace {

constexpr const char* kScanName = "Scan";
// Of calls without items, so that callers need no special case.
constexpr VkDeviceSize kScanMinScratch = 16;

Status check_config(const ContextState& state, const ScanConfig& config) {
  if (config.own_kernels) return primitives::check_own_kernels(kScanName, *config.own_kernels, "scan");
  if (config.op == Op::arg_min || config.op == Op::arg_max)
    return Error{ErrorCode::unsupported, "Scan: arg_min and arg_max are operators of Reduce"};
  return primitives::check_operator(state, kScanName, config.op, config.item, config.accumulator);
}

}  // namespace

const char* name_of(ScanKind kind) noexcept { return kind == ScanKind::exclusive ? "exclusive" : "inclusive"; }

Result<Scan> Scan::create(const Context& context, const ScanConfig& config) noexcept try {
  const ContextState& state = *context.state();
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (const Status status = check_config(state, config); !status) return status.error();

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  const uint32_t item_bytes = own != nullptr ? own->item_bytes() : size_of(config.item);
  const uint32_t accumulator_bytes = own != nullptr ? own->accumulator_bytes() : size_of(config.accumulator);
  const uint32_t vector_items = own != nullptr ? primitives::own_vector_items(item_bytes, accumulator_bytes)
                                               : 16 / std::max(item_bytes, accumulator_bytes);
  plan->item_bytes = item_bytes;
  plan->accumulator_bytes = accumulator_bytes;
  plan->vector_items = vector_items;
  const primitives::ScanTuning tuning = primitives::scan_tuning.of(state);
  // A tile is held in registers: up to 128 bytes a lane, f16 as f32.
  const uint32_t held_bytes = own == nullptr && config.accumulator == Type::f16 ? 4 : accumulator_bytes;
  const uint32_t rows = std::min(tuning.rows, 128 / std::max(16u, vector_items * held_bytes));

  const std::string types =
      own != nullptr ? ".own.own" : std::string(".") + name_of(config.item) + "." + name_of(config.accumulator);
  PipelineBuilder builder(state, runtime::kernels::scan(), tuning.workgroup, own);
  builder.set(shader::combine::kOp, own != nullptr ? 0 : static_cast<uint32_t>(config.op))
      .set(shader::tile_scan::kInclusive, config.kind == ScanKind::inclusive);
  Result<PrefixPass> pass = PrefixPass::create(
      context, builder,
      {.strategy = config.strategy,
       .look_back = "scan_look_back" + types,
       .upsweep = "scan_upsweep" + types,
       .downsweep = "scan_downsweep" + types,
       .vector_items = vector_items,
       .input_bytes = vector_items * item_bytes,
       .value_bytes = own != nullptr ? accumulator_bytes : primitives::register_bytes(config.accumulator),
       .workgroup = tuning.workgroup,
       .rows = rows,
       .groups = tuning.groups,
       .spin_limit = tuning.spin_limit,
       .small_kib = tuning.small_kib,
       .small_rows = 4});
  if (!pass) return pass.error();
  plan->pass = *std::move(pass);
  return Scan(std::move(plan));
} catch (...) {
  return runtime::caught();
}

Scan::Scan(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy Scan::strategy() const noexcept { return plan_->pass.strategy(); }

uint32_t Scan::tile_items() const noexcept { return plan_->pass.tile_items(); }

VkDeviceSize Scan::scratch_size(uint64_t max_count) const noexcept {
  return max_count == 0 ? kScanMinScratch : plan_->pass.scratch_size(max_count);
}

Status Scan::record(VkCommandBuffer commands, const ScanArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint32_t item_bytes = plan.item_bytes;
  const uint32_t accumulator_bytes = plan.accumulator_bytes;
  const uint64_t maximum = args.count.maximum();

  shader::ScanPush push{};
  VkDeviceAddress scratch = 0;
  RecordCall call(*plan.state, kScanName, commands);
  call.refuse_if(plan.config.own_kernels && args.initial, "initial", "does not go with own_kernels");
  if (maximum / plan.pass.tile_items() >= primitives::kMaxTiles)
    call.refuse("count", "is more than 2^31 tiles hold: " + std::to_string(maximum));
  call.read("input", args.input, maximum * item_bytes, primitives::alignment_of(item_bytes), push.items)
      .write_over("output", args.output, maximum * accumulator_bytes, primitives::alignment_of(accumulator_bytes),
                  push.outputs)
      .scratch(args.scratch, maximum == 0 ? 0 : scratch_size(maximum), scratch)
      .count("count", args.count, push.count, push.count_value, push.count_words);
  if (!call.accepted()) return call.status();
  if (maximum == 0) return {};

  push.initial = args.initial ? args.initial->bits : primitives::identity_bits(plan.config.op, plan.config.accumulator);
  push.head = primitives::head_items(push.items, plan.vector_items * item_bytes, item_bytes);
  const auto push_of = [&](const PrefixPass::Chunk& chunk) {
    chunk.set(push);
    return push;
  };
  const auto upsweep_push_of = [&](const PrefixPass::Chunk& chunk) {
    shader::ReducePush upsweep{};
    upsweep.items = push.items;
    upsweep.partials = chunk.scratch;
    upsweep.count = push.count;
    upsweep.count_value = push.count_value;
    upsweep.count_words = push.count_words;
    upsweep.head = push.head;
    upsweep.tiles_per_workgroup = chunk.tiles_per_workgroup;
    upsweep.partial_count = chunk.workgroups;
    return upsweep;
  };
  plan.pass.record(call, maximum, push.head, scratch, push_of, upsweep_push_of);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
