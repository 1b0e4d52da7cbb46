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

constexpr const char* kLoadBalanceSearchName = "LoadBalanceSearch";

}  // namespace

Result<LoadBalanceSearch> LoadBalanceSearch::create(const Context& context,
                                                    const LoadBalanceSearchConfig& config) noexcept try {
  if (config.index != Type::u32 && config.index != Type::u64)
    return Error{ErrorCode::unsupported, std::string(kLoadBalanceSearchName) +
                                             ": sources and ranks are u32 or u64, not " + name_of(config.index)};
  if (!config.sources && !config.ranks)
    return Error{ErrorCode::unsupported,
                 std::string(kLoadBalanceSearchName) + ": neither sources nor ranks are wanted"};
  primitives::PipelineBuilder builder(*context.state(), runtime::kernels::load_balance_search(), 0);
  builder.set(shader::load_balance_search::kSources, config.sources)
      .set(shader::load_balance_search::kRanks, config.ranks);
  Result<IntervalPlan> intervals = IntervalPlan::create(context, {.name = kLoadBalanceSearchName,
                                                                  .builder = builder,
                                                                  .kernel = "load_balance_search",
                                                                  .tuning = primitives::load_balance_tuning,
                                                                  .item_bytes = size_of(config.index),
                                                                  .count = config.count,
                                                                  .by = config.by});
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

  shader::LoadBalanceSearchPush push{};
  primitives::RecordCall call(*plan.state, kLoadBalanceSearchName, commands);
  plan.check_sizes(call, maximum, args.max_output);
  if (config.index == Type::u32 && maximum > uint64_t{1} << 32)
    call.refuse("count", "is more than a u32 can number: " + std::to_string(maximum));
  if (config.index == Type::u32 && config.ranks && args.max_output > uint64_t{1} << 32)
    call.refuse("max_output", "is more than a u32 can number: " + std::to_string(args.max_output));
  plan.read_counts(call, args.counts, maximum, push.counts);
  const uint64_t bytes = args.max_output * index_bytes;
  call.write("sources", args.sources, config.sources ? bytes : 0, 4, push.sources)
      .write("ranks", args.ranks, config.ranks ? bytes : 0, 4, push.ranks);
  plan.add_rest(call, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (!call.accepted()) return call.status();
  // Indices that lie across boundaries of their size are stored by words.
  const VkDeviceAddress first = config.sources ? push.sources : push.ranks;
  if (first % index_bytes == 0) push.head = primitives::head_items(first, 16, index_bytes);
  plan.record(call, push);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
