// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_reduce.hpp>

#include <algorithm>

#include "primitives/by_key/segments.hpp"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "primitives/segment/segment_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "segment/segmented_reduce.h"
#include "segment/segmented_reduce_direct.h"
#include "weft/operator.h"
#include "weft/segment.h"
#include "weft/tile.h"
#include "weft/tile_heads.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

namespace {

// Mean lengths.
constexpr uint64_t kMinDirectMean = 16, kShortMean = 2048, kMaxDirectMean = 8192;
constexpr uint64_t kMaxDirectSegments = uint64_t{1} << 22;

}  // namespace

struct SegmentedReduce::Plan {
  std::shared_ptr<const ContextState> state;
  primitives::SegmentedTuning tuning;
  uint32_t offset_bytes = 0;
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  uint32_t tile_units = 0;
  std::shared_ptr<const Pipeline> cuts, reduce, finish;
  std::shared_ptr<const Pipeline> direct, direct_short, join, few;
  uint32_t few_groups = 1;  // subgroups of a workgroup

  uint64_t tiles(uint64_t units) const { return primitives::divided_up(units, tile_units); }

  /// Whether each segment has a workgroup of its own.
  bool is_direct(uint64_t count, uint64_t items) const {
    const uint64_t mean = count != 0 ? items / count : 0;
    if (count > kMaxDirectSegments || mean > kMaxDirectMean) return false;
    return mean >= tuning.direct_mean || (items <= tuning.direct_items && mean >= kMinDirectMean);
  }
  /// Whether each segment has a subgroup of its own.
  bool is_few(uint64_t count, uint64_t items) const {
    return std::max(count, items) <= tuning.few_items && items / tuning.few_mean < count;
  }
  /// Slices of the items; if there were one, no segment would be long.
  uint64_t slices(uint64_t items) const {
    const uint64_t slice = uint64_t{1} << tuning.slice_log;
    return items > slice ? primitives::divided_up(items, slice) : 0;
  }
};

namespace {

constexpr const char* kSegmentedReduceName = "SegmentedReduce";
constexpr uint32_t kVectorItems = primitives::kSegmentVectorItems;
// Of an end of a segment, where an item is 1; as in shaders/segment/segmented_path.glsl.
constexpr uint32_t kSegmentUnits = 4;
constexpr uint32_t kCutsWorkgroup = 128, kDirectWorkgroup = 128;
constexpr uint32_t kCutBytes = 16;
// Workgroups that combine the parts of long segments, and slices for each.
constexpr uint64_t kMaxJoiners = 64, kJoinedSlices = 128;
// Of shared memory, in which values are staged.
constexpr uint32_t kStageBytes = 8 << 10;

/// 2^64 - 1 where there are more.
uint64_t units_of(uint64_t count, uint64_t items) {
  constexpr uint64_t kMax = ~uint64_t{0};
  return count > (kMax - items) / kSegmentUnits ? kMax : items + count * kSegmentUnits;
}

}  // namespace

Result<SegmentedReduce> SegmentedReduce::create(const Context& context, const SegmentedReduceConfig& config) noexcept
    try {
  const ContextState& state = *context.state();
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (const Status status = own != nullptr
                                ? primitives::check_own_kernels(kSegmentedReduceName, *own, "segmented_reduce")
                                : primitives::check_segment_values(state, kSegmentedReduceName, config.op, config.item,
                                                                   config.accumulator);
      !status)
    return status.error();
  if (const Status status = primitives::check_offset(kSegmentedReduceName, config.offset); !status)
    return status.error();

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
  const uint32_t most_direct_rows = std::max(1u, 128 / (kVectorItems * std::max(plan->item_bytes, 4u)));
  // A tile's first item lies anywhere in a vector.
  plan->tile_units = tuning.workgroup * tuning.rows * kVectorItems - kVectorItems;

  const std::string types =
      own != nullptr ? ".own.own" : std::string(".") + name_of(config.item) + "." + name_of(config.accumulator);
  primitives::PipelineBuilder cuts(state, runtime::kernels::segmented_reduce(), kCutsWorkgroup);
  cuts.set(shader::segmented_reduce::kOffsetWords, plan->offset_bytes / 4)
      .set(shader::segmented_reduce::kTileUnits, plan->tile_units)
      .build(plan->cuts, "segmented_reduce_cuts");
  if (!cuts.status()) return cuts.status().error();
  primitives::PipelineBuilder builder(state, runtime::kernels::segmented_reduce(), tuning.workgroup, own);
  builder.set(shader::combine::kOp, own != nullptr ? 0 : static_cast<uint32_t>(config.op))
      .set(shader::segmented_reduce::kOffsetWords, plan->offset_bytes / 4)
      .set(shader::segmented_reduce::kTileUnits, plan->tile_units)
      .set(shader::segment::kCountsHeads, false)
      .set(shader::tile::kRows, tuning.rows)
      .set(shader::tile_heads::kSegmentsBy, 2)  // the default: heads are not read
      .build(plan->reduce, "segmented_reduce" + types);
  // segmented_reduce_direct.comp has another constant of the same id.
  builder.set(shader::segmented_reduce_direct::kSliceLog, tuning.slice_log);
  constexpr uint32_t kReduce = 0, kJoin = 1, kFinish = 2, kReduceFew = 3;
  const auto build_direct = [&](std::shared_ptr<const Pipeline>& pipeline, uint32_t pass, uint32_t rows) {
    builder.set(shader::segmented_reduce_direct::kPass, pass)
        .set(shader::tile::kRows, std::clamp(rows, 1u, most_direct_rows))
        .build(pipeline, "segmented_reduce_direct" + types);
  };
  build_direct(plan->finish, kFinish, tuning.rows);
  builder.workgroup(kDirectWorkgroup);
  build_direct(plan->direct, kReduce, tuning.direct_rows);
  build_direct(plan->direct_short, kReduce, tuning.short_rows);
  build_direct(plan->join, kJoin, 1);
  builder.set(shader::segmented_reduce_direct::kSliceLog, 31);
  build_direct(plan->few, kReduceFew, tuning.few_rows);
  plan->few_groups = kDirectWorkgroup / state.subgroup_size_in(kDirectWorkgroup);
  if (!builder.status()) return builder.status().error();
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
  return primitives::in_vectors(std::max(path, direct)) + 16;
}

Status SegmentedReduce::record(VkCommandBuffer commands, const SegmentedReduceArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t count = args.count.maximum(), items = args.item_count.maximum();

  shader::SegmentedReducePush push{};
  primitives::RecordCall call(*plan.state, kSegmentedReduceName, commands);
  if (units_of(0, items) / plan.tile_units >= primitives::kMaxTiles)
    call.refuse("item_count", "is more than 2^31 tiles hold: " + std::to_string(items));
  if (units_of(count, items) / plan.tile_units >= primitives::kMaxTiles)
    call.refuse("count", "is, with the items, more than 2^31 tiles hold: " + std::to_string(count));
  call.read("items", args.items, items * plan.item_bytes, primitives::alignment_of(plan.item_bytes), push.items)
      .read("offsets", args.offsets, count == 0 ? 0 : (count + 1) * plan.offset_bytes, 4, push.offsets)
      .write("output", args.output, count * plan.accumulator_bytes, primitives::alignment_of(plan.accumulator_bytes),
             push.outputs)
      .scratch(args.scratch, scratch_size(count, items), push.cuts)
      .count("count", args.count, push.count, push.count_value, push.count_words)
      .count("item_count", args.item_count, push.item_count, push.item_count_value, push.item_count_words);
  if (!call.accepted()) return call.status();
  if (count == 0) return {};

  if (plan.is_few(count, items)) {
    call.dispatch(*plan.few, push, primitives::divided_up(count, plan.few_groups));
    return {};
  }
  if (plan.is_direct(count, items)) {
    const uint64_t slices = plan.slices(items);
    push.groups = static_cast<uint32_t>(slices);
    push.carries = push.cuts + slices * kCutBytes;
    const bool is_short = items / count < kShortMean;
    call.dispatch(is_short ? *plan.direct_short : *plan.direct, push, slices + count);
    if (slices == 0) return {};
    const uint64_t joiners = std::min<uint64_t>(kMaxJoiners, primitives::divided_up(slices, kJoinedSlices));
    push.tiles_per_workgroup = static_cast<uint32_t>(primitives::divided_up(slices, joiners));
    call.barrier();
    call.dispatch(*plan.join, push, joiners);
    return {};
  }
  const uint64_t tiles = plan.tiles(units_of(count, items));
  push.carries = push.cuts + tiles * kCutBytes;
  const uint64_t tiles_per_workgroup = primitives::divided_up(tiles, plan.tuning.groups);
  push.tiles_per_workgroup = static_cast<uint32_t>(tiles_per_workgroup);
  push.groups = static_cast<uint32_t>(primitives::divided_up(tiles, tiles_per_workgroup));
  if (tiles > 1) {
    call.dispatch(*plan.cuts, push, primitives::divided_up(tiles - 1, kCutsWorkgroup));
    call.barrier();
  }
  call.dispatch(*plan.reduce, push, push.groups);
  if (push.groups > 1) {
    call.barrier();
    call.dispatch(*plan.finish, push, 1);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
