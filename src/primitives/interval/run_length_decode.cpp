// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include <bit>

#include "primitives/interval/expansion.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::IntervalPlan;

struct RunLengthDecode::Plan {
  primitives::Expansion expansion;
};

Result<RunLengthDecode> RunLengthDecode::create(const Context& context, const RunLengthDecodeConfig& config) noexcept
    try {
  if (!std::has_single_bit(config.symbol_bytes) || config.symbol_bytes > 16)
    return Error{ErrorCode::unsupported,
                 "RunLengthDecode: symbols have 1, 2, 4, 8 or 16 bytes, not " + std::to_string(config.symbol_bytes)};
  IntervalPlan::Wish wish{"RunLengthDecode",   &runtime::kernels::run_length_decode(),
                          "run_length_decode", primitives::decode_tuning,
                          config.symbol_bytes, config.length};
  wish.counts_name = "lengths";
  Result<IntervalPlan> intervals = IntervalPlan::create(context, wish);
  if (!intervals) return intervals.error();
  return RunLengthDecode(std::make_shared<const Plan>(Plan{{"symbols", config.symbol_bytes, std::move(*intervals)}}));
} catch (...) {
  return runtime::caught();
}

RunLengthDecode::RunLengthDecode(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t RunLengthDecode::tile_runs() const noexcept { return plan_->expansion.plan.tile_intervals; }

uint32_t RunLengthDecode::segment_outputs() const noexcept { return plan_->expansion.plan.segment_outputs; }

VkDeviceSize RunLengthDecode::scratch_size(uint64_t max_count) const noexcept {
  return plan_->expansion.plan.scratch_size(max_count);
}

Status RunLengthDecode::record(VkCommandBuffer commands, const RunLengthDecodeArgs& args) const noexcept try {
  return plan_->expansion.record(commands, {args.symbols, args.lengths, args.output, args.total, args.status,
                                            args.scratch, args.count, args.max_output});
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
