// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_move.hpp>

#include <bit>

#include "interval/interval_move.h"
#include "interval/interval_move_lines.h"
#include "primitives/interval/interval_plan.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::IntervalPlan;

namespace {

constexpr uint32_t kLineBytes = 16;

}  // namespace

struct IntervalMove::Plan {
  IntervalPlan intervals;
  IntervalMoveConfig config;

  bool has_narrow_items() const { return config.item_bytes < 4; }
  bool is_in_lines() const { return config.gather && config.scatter; }
  /// Of the packed range.
  bool is_in_vectors() const {
    const bool fills = std::has_single_bit(config.item_bytes) && config.item_bytes <= kLineBytes;
    return !is_in_lines() && (has_narrow_items() || (config.gather && fills));
  }
};

namespace {

constexpr const char* kIntervalMoveName = "IntervalMove";

Error unsupported(const std::string& what) {
  return {ErrorCode::unsupported, std::string(kIntervalMoveName) + ": " + what};
}

}  // namespace

Result<IntervalMove> IntervalMove::create(const Context& context, const IntervalMoveConfig& config) noexcept try {
  const uint32_t bytes = config.item_bytes;
  if (bytes != 1 && bytes != 2 && (bytes == 0 || bytes % 4 != 0 || bytes > 256))
    return unsupported("items have 1, 2, or a multiple of 4 bytes up to 256, not " + std::to_string(bytes));
  if (config.offset != Type::u32 && config.offset != Type::u64)
    return unsupported(std::string("offsets are u32 or u64, not ") + name_of(config.offset));
  if (!config.gather && !config.scatter) return unsupported("neither gathers nor scatters");

  Plan plan{{}, config};
  primitives::PipelineBuilder builder(*context.state(), runtime::kernels::interval_move(), 0);
  builder.set(shader::interval_move_lines::kLineItemBytes, bytes)
      .set(shader::interval_move::kOffsetWords, size_of(config.offset) / 4)
      .set(shader::interval_move::kGathers, config.gather)
      .set(shader::interval_move::kScatters, config.scatter);
  IntervalPlan::Desc desc{.name = kIntervalMoveName,
                          .builder = builder,
                          .kernel = "interval_move",
                          .tuning = primitives::move_tuning,
                          .item_bytes = bytes,
                          .count = config.count,
                          .by = config.by,
                          .reports_interval = true};
  if (plan.is_in_lines()) {
    desc.sums_kernel = "interval_move_lines_sums";
    desc.kernel = "interval_move_lines";
    desc.is_direct = false;
    desc.item_bytes = kLineBytes;
  } else if (plan.is_in_vectors()) {
    desc.kernel = plan.has_narrow_items() ? "interval_move_bytes" : "interval_gather";
  }
  Result<IntervalPlan> intervals = IntervalPlan::create(context, desc);
  if (!intervals) return intervals.error();
  plan.intervals = std::move(*intervals);
  return IntervalMove(std::make_shared<const Plan>(std::move(plan)));
} catch (...) {
  return runtime::caught();
}

IntervalMove::IntervalMove(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t IntervalMove::tile_intervals() const noexcept { return plan_->intervals.tile_intervals; }

uint32_t IntervalMove::segment_outputs() const noexcept { return plan_->intervals.segment_outputs; }

VkDeviceSize IntervalMove::scratch_size(uint64_t max_count) const noexcept {
  return plan_->intervals.scratch_size(max_count);
}

Status IntervalMove::record(VkCommandBuffer commands, const IntervalMoveArgs& args) const noexcept try {
  const IntervalPlan& plan = plan_->intervals;
  const IntervalMoveConfig& config = plan_->config;
  const uint64_t maximum = args.count.maximum();
  const uint64_t alignment = primitives::alignment_of(config.item_bytes);

  shader::IntervalMovePush push{};
  primitives::RecordCall call(*plan.state, kIntervalMoveName, commands);
  if (maximum >= ~uint32_t{0}) call.refuse("count", "is more than 2^32 - 2: " + std::to_string(maximum));
  plan.check_sizes(call, maximum, args.max_output);
  // An interval touches fewer than two lines more than its bytes fill.
  const uint64_t outputs =
      plan_->is_in_lines() ? args.max_output * config.item_bytes / kLineBytes + 1 + 2 * maximum : args.max_output;
  plan.check_sizes(call, maximum, outputs);

  // Where they are not packed, sizes say what is in range.
  push.sources = config.gather ? args.input.size / config.item_bytes : args.max_output;
  push.destinations = config.scatter ? args.output.size / config.item_bytes : args.max_output;
  // If items are moved, ranges of no items are given too.
  const bool moves = args.max_output != 0;
  call.refuse_if(moves && !args.input.is_given(), "input", "has no buffer")
      .read("input", args.input, push.sources * config.item_bytes, alignment, push.source_items)
      .refuse_if(moves && !args.output.is_given(), "output", "has no buffer")
      .write("output", args.output, push.destinations * config.item_bytes, alignment, push.destination_items);
  plan.read_counts(call, args.counts, maximum, push.counts);
  const uint64_t offset_bytes = maximum * size_of(config.offset);
  call.read("gather", args.gather, config.gather ? offset_bytes : 0, 4, push.gather)
      .read("scatter", args.scatter, config.scatter ? offset_bytes : 0, 4, push.scatter);
  plan.add_rest(call, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (!call.accepted()) return call.status();
  const VkDeviceAddress packed = config.gather ? push.destination_items : push.source_items;
  if (plan_->is_in_vectors() && packed % config.item_bytes == 0)
    push.head = primitives::head_items(packed, kLineBytes, config.item_bytes);
  plan.record(call, push, outputs);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
