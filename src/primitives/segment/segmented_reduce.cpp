// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_reduce.hpp>

#include <algorithm>
#include <array>
#include <span>

#include "primitives/by_key/keyed_plan.hpp"
#include "primitives/segment/segment_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "segment/segmented_reduce.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

namespace {

// Mean lengths.
constexpr uint64_t kLeastDirectMean = 16, kShortMean = 2048, kMostDirectMean = 8192;
constexpr uint64_t kMostDirectSegments = uint64_t{1} << 22;

}  // namespace

struct SegmentedReduce::Plan {
  std::shared_ptr<const ContextState> state;
  primitives::SegmentedTuning tuning;
  uint32_t offset_bytes = 0;
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  uint32_t tile_units = 0;
  std::shared_ptr<const Pipeline> cuts, reduce, finish;
  std::shared_ptr<const Pipeline> direct, direct_short, join;

  uint64_t tiles(uint64_t units) const { return units / tile_units + (units % tile_units != 0 ? 1 : 0); }

  /// Whether each segment has a workgroup of its own.
  bool is_direct(uint64_t count, uint64_t items) const {
    const uint64_t mean = count != 0 ? items / count : 0;
    if (count > kMostDirectSegments || mean > kMostDirectMean) return false;
    return mean >= tuning.direct_mean || (items <= tuning.direct_items && mean >= kLeastDirectMean);
  }
  /// Slices of the items; if there were one, no segment would be long.
  uint64_t slices(uint64_t items) const {
    const uint64_t slice = uint64_t{1} << tuning.slice_log;
    return items > slice ? items / slice + (items % slice != 0 ? 1 : 0) : 0;
  }
};

namespace {

constexpr const char* kName = "SegmentedReduce";
constexpr uint32_t kVectorItems = primitives::KeyedPlan::kVectorItems;
// Of an end of a segment, where an item is 1; as in shaders/segment/segmented_path.glsl.
constexpr uint32_t kSegmentUnits = 4;
constexpr uint32_t kCutsWorkgroup = 128;
constexpr uint32_t kCutBytes = 16;
// Workgroups that combine the parts of long segments, and slices for each.
constexpr uint64_t kMostJoiners = 64, kJoinedSlices = 128;
// Of shared memory, in which values are staged.
constexpr uint32_t kStageBytes = 8 << 10;

/// 2^64 - 1 where there are more.
uint64_t units_of(uint64_t count, uint64_t items) {
  constexpr uint64_t kMost = ~uint64_t{0};
  return count > (kMost - items) / kSegmentUnits ? kMost : items + count * kSegmentUnits;
}

}  // namespace

Result<SegmentedReduce> SegmentedReduce::create(const Context& context, const SegmentedReduceConfig& config) noexcept
    try {
  const ContextState& state = *context.state();
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (const Status status =
          own != nullptr ? primitives::check_own_kernels(kName, *own, "segmented_reduce")
                         : primitives::check_segment_values(state, kName, config.op, config.item, config.accumulator);
      !status)
    return status.error();
  if (const Status status = primitives::check_offset(kName, config.offset); !status) return status.error();

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->offset_bytes = size_of(config.offset);
  plan->item_bytes = own != nullptr ? own->item_bytes() : size_of(config.item);
  plan->accumulator_bytes = own != nullptr ? own->accumulator_bytes() : size_of(config.accumulator);
  primitives::SegmentedTuning& tuning = plan->tuning;
  tuning = primitives::segmented_reduce_tuning.of(state);
  tuning.workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  if (plan->accumulator_bytes >= 8) tuning.rows = tuning.rows_wide;
  const uint32_t value_bytes = std::max(4u, plan->accumulator_bytes);
  const uint32_t most_rows =
      std::min(kStageBytes / (tuning.workgroup * value_bytes), 128 / (kVectorItems * std::max(plan->item_bytes, 4u)));
  tuning.rows = std::clamp(tuning.rows, 1u, std::max(1u, most_rows));
  tuning.direct_workgroup = std::min(tuning.direct_workgroup, state.traits().max_workgroup_invocations);
  const uint32_t most_direct_rows = std::max(1u, 128 / (kVectorItems * std::max(plan->item_bytes, 4u)));
  // A tile's first item lies anywhere in a vector.
  plan->tile_units = tuning.workgroup * tuning.rows * kVectorItems - kVectorItems;

  const std::string types =
      own != nullptr ? ".own.own" : std::string(".") + name_of(config.item) + "." + name_of(config.accumulator);
  // Ids from 2 on: operator, rows, words of an offset, units of a tile.
  const uint32_t constants[] = {own != nullptr ? 0u : static_cast<uint32_t>(config.op), tuning.rows,
                                plan->offset_bytes / 4, plan->tile_units};
  // And of segmented_reduce_direct.comp which pass it is, and the logarithm of a slice's items.
  const auto direct_constants = [&](uint32_t rows, uint32_t pass) {
    return std::array{constants[0],    std::clamp(rows, 1u, most_direct_rows), constants[2], constants[3], pass,
                      tuning.slice_log};
  };
  constexpr uint32_t kReduce = 0, kJoin = 1, kFinish = 2;
  Status status;
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const std::string& kernel, uint32_t workgroup,
                         std::span<const uint32_t> values, const KernelSet* set) {
    if (!status) return;
    Result<std::shared_ptr<const Pipeline>> built =
        state.pipeline(runtime::kernels::segmented_reduce(), kernel, workgroup, values, set);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  const std::string direct = "segmented_reduce_direct" + types;
  build(plan->cuts, "segmented_reduce_cuts", kCutsWorkgroup, constants, nullptr);
  build(plan->reduce, "segmented_reduce" + types, tuning.workgroup, constants, own);
  build(plan->finish, direct, tuning.workgroup, direct_constants(tuning.rows, kFinish), own);
  build(plan->direct, direct, tuning.direct_workgroup, direct_constants(tuning.direct_rows, kReduce), own);
  build(plan->direct_short, direct, tuning.direct_workgroup, direct_constants(tuning.short_rows, kReduce), own);
  build(plan->join, direct, tuning.direct_workgroup, direct_constants(1, kJoin), own);
  if (!status) return status.error();
  return SegmentedReduce(std::move(plan));
} catch (...) {
  return runtime::caught();
}

SegmentedReduce::SegmentedReduce(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t SegmentedReduce::tile_items() const noexcept { return plan_->tile_units; }

VkDeviceSize SegmentedReduce::scratch_size(uint64_t max_count, uint64_t max_items) const noexcept {
  const Plan& plan = *plan_;
  // No call takes more.
  const uint64_t tiles = std::min(plan.tiles(units_of(max_count, max_items)), primitives::kMaxTiles);
  const uint64_t groups = std::min<uint64_t>(tiles, plan.tuning.groups);
  const uint64_t segment_bytes = std::max(4u, plan.accumulator_bytes) + 4;
  const uint64_t path = tiles * kCutBytes + 2 * groups * segment_bytes;
  const uint64_t direct = plan.slices(max_items) * (kCutBytes + 2 * segment_bytes);
  return (std::max(path, direct) + 15) / 16 * 16 + 16;
}

Status SegmentedReduce::record(VkCommandBuffer commands, const SegmentedReduceArgs& args) const noexcept try {
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
  if (plan.is_direct(count, items)) {
    const uint64_t slices = plan.slices(items);
    push.groups = static_cast<uint32_t>(slices);
    push.carries = push.cuts + slices * kCutBytes;
    const bool is_short = items / count < kShortMean;
    primitives::dispatch(state, commands, is_short ? *plan.direct_short : *plan.direct, push,
                         primitives::dispatch_size(slices + count, state.traits().max_workgroup_count_x));
    if (slices != 0) {
      const uint64_t joiners = std::min<uint64_t>(kMostJoiners, (slices + kJoinedSlices - 1) / kJoinedSlices);
      push.tiles_per_workgroup = static_cast<uint32_t>((slices + joiners - 1) / joiners);
      primitives::barrier_between(state, commands);
      primitives::dispatch(state, commands, *plan.join, push, {static_cast<uint32_t>(joiners), 1});
    }
    return {};
  }
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
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
