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

constexpr const char* kTransformLbsName = "TransformLbs";
constexpr const char* kPrimitive = "transform_lbs";
constexpr uint32_t kOutputBytes = 4;  // that the sizes of segments are tuned for

}  // namespace

Result<TransformLbs> TransformLbs::create(const Context& context, const TransformLbsConfig& config) noexcept try {
  if (!config.own_kernels)
    return Error{ErrorCode::unsupported,
                 std::string(kTransformLbsName) + ": own_kernels are what it is for, and there are none"};
  const KernelSet& own = *config.own_kernels;
  if (!own.ok()) return runtime::out_of_memory();
  if (own.primitive() != kPrimitive)
    return Error{ErrorCode::unsupported, std::string(kTransformLbsName) + ": own_kernels '" + own.name() +
                                             "' are made for " + own.primitive() + ", and not for " + kPrimitive};
  Result<IntervalPlan> intervals = IntervalPlan::create(
      context, {.name = kTransformLbsName,
                .builder = primitives::PipelineBuilder(*context.state(), runtime::kernels::intervals(), 0, &own),
                .kernel = kPrimitive,
                .tuning = primitives::load_balance_tuning,
                .item_bytes = kOutputBytes,
                .count = config.count,
                .by = config.by,
                .is_own = true});
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
  shader::TransformLbsPush push{};
  primitives::RecordCall call(*plan.state, kTransformLbsName, commands);
  plan.check_sizes(call, maximum, args.max_output);
  plan.read_counts(call, args.counts, maximum, push.counts);
  // What is written there is not known here.
  uint64_t* const addresses[] = {&push.buffer_0, &push.buffer_1, &push.buffer_2, &push.buffer_3};
  for (size_t i = 0; i < std::size(addresses); ++i) {
    const BufferRange& range = args.buffers.at(i);
    call.read("buffers", range, range.is_given() ? range.size : 0, 4, *addresses[i]);
  }
  push.a = args.a;
  push.b = args.b;
  plan.add_rest(call, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (!call.accepted()) return call.status();
  plan.record(call, push);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
