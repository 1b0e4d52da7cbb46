// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_reduce.hpp>

#include <algorithm>

#include "primitives/keyed_plan.hpp"
#include "primitives/segmented_reduce.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct SegmentedReduce::Plan {
  std::shared_ptr<const ContextState> state;
  runtime::SegmentedTuning tuning;
  uint32_t offset_bytes = 0;
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  uint32_t tile_units = 0;
  std::shared_ptr<const Pipeline> cuts, reduce, finish;

  uint64_t tiles(uint64_t units) const { return units / tile_units + (units % tile_units != 0 ? 1 : 0); }
};

namespace {

constexpr const char* kName = "SegmentedReduce";
constexpr uint32_t kVectorItems = primitives::KeyedPlan::kVectorItems;
// Of an end of a segment, where an item is 1; as in shaders/primitives/segmented_path.glsl.
constexpr uint32_t kSegmentUnits = 4;
constexpr uint32_t kCutsWorkgroup = 128;
constexpr uint32_t kCutBytes = 16;
// Of shared memory, in which values are staged.
constexpr uint32_t kStageBytes = 8 << 10;

/// 2^64 - 1 where there are more.
uint64_t units_of(uint64_t count, uint64_t items) {
  constexpr uint64_t kMost = ~uint64_t{0};
  return count > (kMost - items) / kSegmentUnits ? kMost : items + count * kSegmentUnits;
}

}  // namespace

Result<SegmentedReduce> SegmentedReduce::create(const Context& context, const SegmentedReduceConfig& config) {
  const ContextState& state = *context.state();
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (const Status status =
          own != nullptr ? primitives::check_own_kernels(kName, *own, "segmented_reduce")
                         : primitives::check_segment_values(state, kName, config.op, config.item, config.accumulator);
      !status)
    return status.error();
  if (const Status status = primitives::check_offset(kName, config.offset); !status) return status.error();
  const Result<runtime::Tuning> tunings = runtime::tuning_of(state.traits());
  if (!tunings) return tunings.error();

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->offset_bytes = size_of(config.offset);
  plan->item_bytes = own != nullptr ? own->item_bytes() : size_of(config.item);
  plan->accumulator_bytes = own != nullptr ? own->accumulator_bytes() : size_of(config.accumulator);
  runtime::SegmentedTuning& tuning = plan->tuning;
  tuning = tunings->segmented_reduce;
  tuning.workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  if (plan->accumulator_bytes >= 8) tuning.rows = tuning.rows_wide;
  const uint32_t value_bytes = std::max(4u, plan->accumulator_bytes);
  const uint32_t most_rows =
      std::min(kStageBytes / (tuning.workgroup * value_bytes), 128 / (kVectorItems * std::max(plan->item_bytes, 4u)));
  tuning.rows = std::clamp(tuning.rows, 1u, std::max(1u, most_rows));
  // A tile's first item lies anywhere in a vector.
  plan->tile_units = tuning.workgroup * tuning.rows * kVectorItems - kVectorItems;

  const std::string types =
      own != nullptr ? ".own.own" : std::string(".") + name_of(config.item) + "." + name_of(config.accumulator);
  // Ids from 2 on: operator, rows, words of an offset, units of a tile.
  const uint32_t constants[] = {own != nullptr ? 0u : static_cast<uint32_t>(config.op), tuning.rows,
                                plan->offset_bytes / 4, plan->tile_units};
  Status status;
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const std::string& kernel, uint32_t workgroup,
                         const KernelSet* set) {
    if (!status) return;
    Result<std::shared_ptr<const Pipeline>> built = state.pipeline(kernel, workgroup, constants, set);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  build(plan->cuts, "segmented_reduce_cuts", kCutsWorkgroup, nullptr);
  build(plan->reduce, "segmented_reduce" + types, tuning.workgroup, own);
  build(plan->finish, "segmented_reduce_finish" + types, tuning.workgroup, own);
  if (!status) return status.error();
  return SegmentedReduce(std::move(plan));
}

SegmentedReduce::SegmentedReduce(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t SegmentedReduce::tile_items() const noexcept { return plan_->tile_units; }

VkDeviceSize SegmentedReduce::scratch_size(uint64_t max_count, uint64_t max_items) const noexcept {
  const Plan& plan = *plan_;
  // No call takes more.
  const uint64_t tiles = std::min(plan.tiles(units_of(max_count, max_items)), primitives::kMaxTiles);
  const uint64_t groups = std::min<uint64_t>(tiles, plan.tuning.groups);
  return tiles * kCutBytes + (2 * groups * (std::max(4u, plan.accumulator_bytes) + 4) + 15) / 16 * 16 + 16;
}

Status SegmentedReduce::record(VkCommandBuffer commands, const SegmentedReduceArgs& args) const {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint64_t count = args.count.maximum(), items = args.item_count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (units_of(0, items) / plan.tile_units >= primitives::kMaxTiles)
    return primitives::argument_error(kName, "item_count", "is more than 2^31 tiles hold: " + std::to_string(items));
  if (units_of(count, items) / plan.tile_units >= primitives::kMaxTiles)
    return primitives::argument_error(kName, "count",
                                      "is, with the items, more than 2^31 tiles hold: " + std::to_string(count));
  shader::SegmentedReducePush push{};
  primitives::RangeChecks ranges(state, kName);
  if (items != 0)
    push.items = ranges.read("items", args.items, items * plan.item_bytes, primitives::alignment_of(plan.item_bytes));
  if (count != 0) {
    push.offsets = ranges.read("offsets", args.offsets, (count + 1) * plan.offset_bytes, 4);
    push.outputs = ranges.write("output", args.output, count * plan.accumulator_bytes,
                                primitives::alignment_of(plan.accumulator_bytes));
  }
  push.cuts = ranges.scratch(args.scratch, scratch_size(count, items));
  push.count = ranges.count(args.count);
  push.item_count = ranges.count(args.item_count, "item_count");
  if (Status status = ranges.finish(); !status) return status;
  if (count == 0) return {};

  push.count_value = count;
  push.item_count_value = items;
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  push.item_count_words = static_cast<uint32_t>(args.item_count.range().size / 4);
  const uint64_t tiles = plan.tiles(units_of(count, items));
  push.carries = push.cuts + tiles * kCutBytes;
  const uint64_t tiles_per_workgroup = (tiles + plan.tuning.groups - 1) / plan.tuning.groups;
  push.tiles_per_workgroup = static_cast<uint32_t>(tiles_per_workgroup);
  push.groups = static_cast<uint32_t>((tiles + tiles_per_workgroup - 1) / tiles_per_workgroup);
  if (tiles > 1) {
    const uint64_t cuts_groups = (tiles - 1 + kCutsWorkgroup - 1) / kCutsWorkgroup;
    primitives::dispatch(state, commands, *plan.cuts, push,
                         primitives::dispatch_size(cuts_groups, state.traits().max_workgroup_count_x));
    primitives::barrier_between(state, commands);
  }
  primitives::dispatch(state, commands, *plan.reduce, push, {push.groups, 1});
  if (push.groups > 1) {
    primitives::barrier_between(state, commands);
    primitives::dispatch(state, commands, *plan.finish, push, {1, 1});
  }
  return {};
}

}  // namespace weft
