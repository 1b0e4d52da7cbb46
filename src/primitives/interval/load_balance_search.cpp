// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/load_balance_search.hpp>

#include "interval/load_balance_search.h"
#include "primitives/interval/interval_plan.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::IntervalPlan;

struct LoadBalanceSearch::Plan {
  IntervalPlan intervals;
  LoadBalanceSearchConfig config;
};

namespace {

constexpr const char* kName = "LoadBalanceSearch";

}  // namespace

Result<LoadBalanceSearch> LoadBalanceSearch::create(const Context& context,
                                                    const LoadBalanceSearchConfig& config) noexcept try {
  if (config.index != Type::u32 && config.index != Type::u64)
    return Error{ErrorCode::unsupported,
                 std::string(kName) + ": sources and ranks are u32 or u64, not " + name_of(config.index)};
  if (!config.sources && !config.ranks)
    return Error{ErrorCode::unsupported, std::string(kName) + ": neither sources nor ranks are wanted"};
  const uint32_t wanted[] = {config.sources ? 1u : 0u, config.ranks ? 1u : 0u};
  Result<IntervalPlan> intervals = IntervalPlan::create(
      context, {kName, &runtime::kernels::load_balance_search(), "load_balance_search", primitives::load_balance_tuning,
                size_of(config.index), config.count, config.by, wanted});
  if (!intervals) return intervals.error();
  return LoadBalanceSearch(std::make_shared<const Plan>(Plan{std::move(*intervals), config}));
} catch (...) {
  return runtime::caught();
}

LoadBalanceSearch::LoadBalanceSearch(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t LoadBalanceSearch::tile_sources() const noexcept { return plan_->intervals.tile_intervals; }

uint32_t LoadBalanceSearch::segment_outputs() const noexcept { return plan_->intervals.segment_outputs; }

VkDeviceSize LoadBalanceSearch::scratch_size(uint64_t max_count) const noexcept {
  return plan_->intervals.scratch_size(max_count);
}

Status LoadBalanceSearch::record(VkCommandBuffer commands, const LoadBalanceSearchArgs& args) const noexcept try {
  const LoadBalanceSearchConfig& config = plan_->config;
  const uint64_t maximum = args.count.maximum();
  const IntervalPlan& plan = plan_->intervals.of_call(maximum, args.max_output);
  const uint32_t index_bytes = size_of(config.index);

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (Status status = plan.check_sizes(maximum, args.max_output); !status) return status;
  if (config.index == Type::u32 && maximum > uint64_t{1} << 32)
    return primitives::argument_error(kName, "count", "is more than u32 tell apart: " + std::to_string(maximum));
  if (config.index == Type::u32 && config.ranks && args.max_output > uint64_t{1} << 32)
    return primitives::argument_error(kName, "max_output",
                                      "is more than u32 tell apart: " + std::to_string(args.max_output));
  shader::LoadBalanceSearchPush push{};
  primitives::RangeChecks ranges(*plan.state, kName);
  push.counts = plan.locate_counts(ranges, args.counts, maximum);
  if (args.max_output != 0) {
    if (config.sources) push.sources = ranges.write("sources", args.sources, args.max_output * index_bytes, 4);
    if (config.ranks) push.ranks = ranges.write("ranks", args.ranks, args.max_output * index_bytes, 4);
  }
  plan.locate_rest(ranges, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (Status status = ranges.finish(); !status) return status;
  // Indices that lie across boundaries of their size are stored by words.
  const VkDeviceAddress first = config.sources ? push.sources : push.ranks;
  if (first % index_bytes == 0) push.head = primitives::head_items(first, 16, index_bytes);
  plan.record(commands, push);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
