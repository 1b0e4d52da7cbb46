// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include <algorithm>
#include <bit>

#include "primitives/interval_plan.hpp"
#include "primitives/run_length_decode.h"

namespace weft {

using primitives::IntervalPlan;

struct RunLengthDecode::Plan {
  IntervalPlan intervals;
  RunLengthDecodeConfig config;
};

namespace {

constexpr const char* kName = "RunLengthDecode";

}  // namespace

Result<RunLengthDecode> RunLengthDecode::create(const Context& context, const RunLengthDecodeConfig& config) {
  if (!std::has_single_bit(config.symbol_bytes) || config.symbol_bytes > 16)
    return Error{ErrorCode::unsupported,
                 "RunLengthDecode: symbols have 1, 2, 4, 8 or 16 bytes, not " + std::to_string(config.symbol_bytes)};
  IntervalPlan::Wish wish{kName, "run_length_decode", &runtime::Tuning::decode, config.symbol_bytes, config.length};
  wish.counts_name = "lengths";
  Result<IntervalPlan> intervals = IntervalPlan::create(context, wish);
  if (!intervals) return intervals.error();
  return RunLengthDecode(std::make_shared<const Plan>(Plan{std::move(*intervals), config}));
}

RunLengthDecode::RunLengthDecode(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t RunLengthDecode::tile_runs() const noexcept { return plan_->intervals.tile_intervals; }

uint32_t RunLengthDecode::segment_outputs() const noexcept { return plan_->intervals.segment_outputs; }

VkDeviceSize RunLengthDecode::scratch_size(uint64_t max_count) const noexcept {
  return plan_->intervals.scratch_size(max_count);
}

Status RunLengthDecode::record(VkCommandBuffer commands, const RunLengthDecodeArgs& args) const {
  const IntervalPlan& plan = plan_->intervals;
  const uint32_t symbol_bytes = plan_->config.symbol_bytes;
  const uint64_t alignment = std::min(symbol_bytes, 4u);
  const uint64_t maximum = args.count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (Status status = plan.check_sizes(maximum, args.max_output); !status) return status;
  shader::RunLengthDecodePush push{};
  primitives::RangeChecks ranges(*plan.state, kName);
  if (maximum != 0) push.symbols = ranges.read("symbols", args.symbols, maximum * symbol_bytes, alignment);
  push.counts = plan.locate_counts(ranges, args.lengths, maximum);
  if (args.max_output != 0)
    push.outputs = ranges.write("output", args.output, args.max_output * symbol_bytes, alignment);
  plan.locate_rest(ranges, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (Status status = ranges.finish(); !status) return status;
  // Symbols of 8 and 16 bytes that lie across boundaries of their size are stored by words.
  if (push.outputs % symbol_bytes == 0) push.head = primitives::head_items(push.outputs, 16, symbol_bytes);
  plan.record(commands, push);
  return {};
}

}  // namespace weft
