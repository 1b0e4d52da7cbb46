// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include <bit>

#include "primitives/interval/expansion.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::Expansion;

struct RunLengthDecode::Plan : Expansion {};

Result<RunLengthDecode> RunLengthDecode::create(const Context& context, const RunLengthDecodeConfig& config) noexcept
    try {
  if (!std::has_single_bit(config.symbol_bytes) || config.symbol_bytes > 16)
    return Error{ErrorCode::unsupported,
                 "RunLengthDecode: symbols have 1, 2, 4, 8 or 16 bytes, not " + std::to_string(config.symbol_bytes)};
  Result<Expansion> expansion =
      Expansion::create(context, {"RunLengthDecode",
                                  runtime::kernels::run_length_decode(),
                                  "run_length_decode",
                                  "symbols",
                                  "lengths",
                                  {.count = config.length, .value_bytes = config.symbol_bytes}});
  if (!expansion) return expansion.error();
  return RunLengthDecode(std::make_shared<const Plan>(Plan{std::move(*expansion)}));
} catch (...) {
  return runtime::caught();
}

RunLengthDecode::RunLengthDecode(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t RunLengthDecode::tile_runs() const noexcept { return plan_->plan.tile_intervals; }

uint32_t RunLengthDecode::segment_outputs() const noexcept { return plan_->plan.segment_outputs; }

VkDeviceSize RunLengthDecode::scratch_size(uint64_t max_count) const noexcept {
  return plan_->plan.scratch_size(max_count);
}

Status RunLengthDecode::record(VkCommandBuffer commands, const RunLengthDecodeArgs& args) const noexcept try {
  return plan_->record(commands, {args.symbols, args.lengths, args.output, args.total, args.status, args.scratch,
                                  args.count, args.max_output});
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
