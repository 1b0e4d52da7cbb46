// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>

#include <bit>

#include "primitives/interval/expansion.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::Expansion;

struct IntervalExpand::Plan : Expansion {};

Result<IntervalExpand> IntervalExpand::create(const Context& context, const IntervalExpandConfig& config) noexcept try {
  const uint32_t bytes = config.value_bytes;
  const bool in_vectors = bytes <= 16 && std::has_single_bit(bytes);
  if (!in_vectors && (bytes == 0 || bytes % 4 != 0 || bytes > 256))
    return Error{ErrorCode::unsupported,
                 "IntervalExpand: values have 1, 2, or a multiple of 4 bytes up to 256, not " + std::to_string(bytes)};
  Result<Expansion> expansion = Expansion::create(
      context,
      {"IntervalExpand", in_vectors ? runtime::kernels::run_length_decode() : runtime::kernels::interval_expand(),
       in_vectors ? "run_length_decode" : "interval_expand", "values", "counts", config});
  if (!expansion) return expansion.error();
  return IntervalExpand(std::make_shared<const Plan>(Plan{std::move(*expansion)}));
} catch (...) {
  return runtime::caught();
}

IntervalExpand::IntervalExpand(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t IntervalExpand::tile_intervals() const noexcept { return plan_->plan.tile_intervals; }

uint32_t IntervalExpand::segment_outputs() const noexcept { return plan_->plan.segment_outputs; }

VkDeviceSize IntervalExpand::scratch_size(uint64_t max_count) const noexcept {
  return plan_->plan.scratch_size(max_count);
}

Status IntervalExpand::record(VkCommandBuffer commands, const IntervalExpandArgs& args) const noexcept try {
  return plan_->record(commands, args);
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
