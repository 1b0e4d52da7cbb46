// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_move.hpp>

#include <algorithm>
#include <bit>

#include "interval/interval_move.h"
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
  /// Of the packed side.
  bool is_in_vectors() const {
    const bool fills = std::has_single_bit(config.item_bytes) && config.item_bytes <= kLineBytes;
    return !is_in_lines() && (has_narrow_items() || (config.gather && fills));
  }
};

namespace {

constexpr const char* kName = "IntervalMove";

Error unsupported(const std::string& what) { return {ErrorCode::unsupported, std::string(kName) + ": " + what}; }

}  // namespace

Result<IntervalMove> IntervalMove::create(const Context& context, const IntervalMoveConfig& config) noexcept try {
  const uint32_t bytes = config.item_bytes;
  if (bytes != 1 && bytes != 2 && (bytes == 0 || bytes % 4 != 0 || bytes > 256))
    return unsupported("items have 1, 2, or a multiple of 4 bytes up to 256, not " + std::to_string(bytes));
  if (config.offset != Type::u32 && config.offset != Type::u64)
    return unsupported(std::string("offsets are u32 or u64, not ") + name_of(config.offset));
  if (!config.gather && !config.scatter) return unsupported("neither gathers nor scatters");

  Plan plan{{}, config};
  const uint32_t constants[] = {bytes, size_of(config.offset) / 4, config.gather ? 1u : 0u, config.scatter ? 1u : 0u};
  IntervalPlan::Wish wish{kName,           &runtime::kernels::interval_move(),
                          "interval_move", primitives::move_tuning,
                          bytes,           config.count,
                          config.by,       constants};
  wish.reports_interval = true;
  if (plan.is_in_lines()) {
    wish.sums_kernel = "interval_move_lines_sums";
    wish.kernel = "interval_move_lines";
    wish.is_direct = false;
    wish.item_bytes = kLineBytes;
  } else if (plan.is_in_vectors()) {
    wish.kernel = plan.has_narrow_items() ? "interval_move_bytes" : "interval_gather";
  }
  Result<IntervalPlan> intervals = IntervalPlan::create(context, wish);
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
  const uint64_t alignment = std::min(config.item_bytes, 4u);

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (maximum >= ~uint32_t{0})
    return primitives::argument_error(kName, "count", "is more than 2^32 - 2: " + std::to_string(maximum));
  if (Status status = plan.check_sizes(maximum, args.max_output); !status) return status;
  // An interval touches fewer than two lines more than its bytes fill.
  const uint64_t outputs =
      plan_->is_in_lines() ? args.max_output * config.item_bytes / kLineBytes + 1 + 2 * maximum : args.max_output;
  if (Status status = plan.check_sizes(maximum, outputs); !status) return status;

  // Where they are not packed, sizes say what is in range.
  if (config.gather && args.input.size == VK_WHOLE_SIZE)
    return primitives::argument_error(kName, "input", "has VK_WHOLE_SIZE where intervals are checked against its size");
  if (config.scatter && args.output.size == VK_WHOLE_SIZE)
    return primitives::argument_error(kName, "output",
                                      "has VK_WHOLE_SIZE where intervals are checked against its size");

  shader::IntervalMovePush push{};
  primitives::RangeChecks ranges(*plan.state, kName);
  const auto items = [&](const BufferRange& range, bool packed) {
    return packed ? args.max_output : range.size / config.item_bytes;
  };
  push.sources = items(args.input, !config.gather);
  push.destinations = items(args.output, !config.scatter);
  if (args.max_output != 0) {
    push.source_items = ranges.read("input", args.input, push.sources * config.item_bytes, alignment);
    push.destination_items = ranges.write("output", args.output, push.destinations * config.item_bytes, alignment);
  }
  push.counts = plan.locate_counts(ranges, args.counts, maximum);
  if (maximum != 0) {
    const uint64_t offset_bytes = maximum * size_of(config.offset);
    if (config.gather) push.gather = ranges.read("gather", args.gather, offset_bytes, 4);
    if (config.scatter) push.scatter = ranges.read("scatter", args.scatter, offset_bytes, 4);
  }
  plan.locate_rest(ranges, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (Status status = ranges.finish(); !status) return status;
  const VkDeviceAddress packed = config.gather ? push.destination_items : push.source_items;
  if (plan_->is_in_vectors() && packed % config.item_bytes == 0)
    push.head = primitives::head_items(packed, kLineBytes, config.item_bytes);
  plan.record(commands, push, outputs);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
