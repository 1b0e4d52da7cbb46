// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/transform_lbs.hpp>

#include "interval/transform_lbs.h"
#include "primitives/interval/interval_plan.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::IntervalPlan;

struct TransformLbs::Plan {
  IntervalPlan intervals;
};

namespace {

constexpr const char* kName = "TransformLbs";
constexpr const char* kPrimitive = "transform_lbs";
constexpr uint32_t kOutputBytes = 4;  // that the sizes of segments are tuned for

}  // namespace

Result<TransformLbs> TransformLbs::create(const Context& context, const TransformLbsConfig& config) noexcept try {
  if (!config.own_kernels)
    return Error{ErrorCode::unsupported, std::string(kName) + ": own_kernels are what it is for, and there are none"};
  const KernelSet& own = *config.own_kernels;
  if (!own.ok()) return runtime::out_of_memory();
  if (own.primitive() != kPrimitive)
    return Error{ErrorCode::unsupported, std::string(kName) + ": own_kernels '" + own.name() + "' are made for " +
                                             own.primitive() + ", and not for " + kPrimitive};
  IntervalPlan::Wish wish{
      kName,    &runtime::kernels::intervals(), kPrimitive, primitives::load_balance_tuning, kOutputBytes, config.count,
      config.by};
  wish.own = &own;
  Result<IntervalPlan> intervals = IntervalPlan::create(context, wish);
  if (!intervals) return intervals.error();
  return TransformLbs(std::make_shared<const Plan>(Plan{std::move(*intervals)}));
} catch (...) {
  return runtime::caught();
}

TransformLbs::TransformLbs(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t TransformLbs::tile_sources() const noexcept { return plan_->intervals.tile_intervals; }

uint32_t TransformLbs::segment_outputs() const noexcept { return plan_->intervals.segment_outputs; }

VkDeviceSize TransformLbs::scratch_size(uint64_t max_count) const noexcept {
  return plan_->intervals.scratch_size(max_count);
}

Status TransformLbs::record(VkCommandBuffer commands, const TransformLbsArgs& args) const noexcept try {
  const IntervalPlan& plan = plan_->intervals;
  const uint64_t maximum = args.count.maximum();
  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (Status status = plan.check_sizes(maximum, args.max_output); !status) return status;
  shader::TransformLbsPush push{};
  primitives::RangeChecks ranges(*plan.state, kName);
  push.counts = plan.locate_counts(ranges, args.counts, maximum);
  // What is written there is not known here.
  const auto own_buffer = [&](size_t i) -> VkDeviceAddress {
    const BufferRange& range = args.buffers.at(i);
    return range.buffer == VK_NULL_HANDLE ? 0 : ranges.read("buffers", range, range.size, 4);
  };
  push.buffer_0 = own_buffer(0);
  push.buffer_1 = own_buffer(1);
  push.buffer_2 = own_buffer(2);
  push.buffer_3 = own_buffer(3);
  push.a = args.a;
  push.b = args.b;
  plan.locate_rest(ranges, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (Status status = ranges.finish(); !status) return status;
  plan.record(commands, push);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
