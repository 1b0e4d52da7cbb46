// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>

#include <bit>

#include "primitives/interval/expansion.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::IntervalPlan;

struct IntervalExpand::Plan {
  primitives::Expansion expansion;
};

Result<IntervalExpand> IntervalExpand::create(const Context& context, const IntervalExpandConfig& config) noexcept try {
  const uint32_t bytes = config.value_bytes;
  const bool in_vectors = bytes <= 16 && std::has_single_bit(bytes);
  if (!in_vectors && (bytes == 0 || bytes % 4 != 0 || bytes > 256))
    return Error{ErrorCode::unsupported,
                 "IntervalExpand: values have 1, 2, or a multiple of 4 bytes up to 256, not " + std::to_string(bytes)};
  Result<IntervalPlan> intervals = IntervalPlan::create(
      context,
      {"IntervalExpand", in_vectors ? &runtime::kernels::run_length_decode() : &runtime::kernels::interval_expand(),
       in_vectors ? "run_length_decode" : "interval_expand", primitives::decode_tuning, bytes, config.count,
       config.by});
  if (!intervals) return intervals.error();
  return IntervalExpand(std::make_shared<const Plan>(Plan{{"values", bytes, std::move(*intervals)}}));
} catch (...) {
  return runtime::caught();
}

IntervalExpand::IntervalExpand(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t IntervalExpand::tile_intervals() const noexcept { return plan_->expansion.plan.tile_intervals; }

uint32_t IntervalExpand::segment_outputs() const noexcept { return plan_->expansion.plan.segment_outputs; }

VkDeviceSize IntervalExpand::scratch_size(uint64_t max_count) const noexcept {
  return plan_->expansion.plan.scratch_size(max_count);
}

Status IntervalExpand::record(VkCommandBuffer commands, const IntervalExpandArgs& args) const noexcept try {
  return plan_->expansion.record(commands, args);
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
