// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/sorted_search.hpp>

#include <algorithm>
#include <utility>

#include "primitives/merge/merge_passes.hpp"
#include "runtime/kernel_families.hpp"
#include "search/sorted_search.h"

namespace weft {

using primitives::kMaxSearchKeys;
using runtime::ContextState;

struct SortedSearch::Plan {
  std::shared_ptr<const ContextState> state;
  SortedSearchConfig config;
  primitives::MergePasses merges;
};

namespace {

constexpr const char* kSortedSearchName = "SortedSearch";

}  // namespace

Result<SortedSearch> SortedSearch::create(const Context& context, const SortedSearchConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_search_key(kSortedSearchName, config.key); !status) return status.error();
  const primitives::MergeTuning tuning = primitives::merge_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  primitives::MergePasses& merges = plan->merges;
  merges.workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  const primitives::MergeKeys keys = primitives::merge_keys(config.key, {}, false, tuning.keys, tuning.keys_wide);
  const primitives::MergeKeys few =
      primitives::merge_keys(config.key, {}, false, tuning.few_keys, tuning.few_keys_wide);

  primitives::PipelineBuilder builder(state, runtime::kernels::merge_partition(), merges.workgroup);
  primitives::set_key_constants(builder, config.key, keys.bytes, SortOrder::ascending)
      .set(shader::ordered_key::kKeyOrder,
           is_float(config.key) ? primitives::kNumberOrder : primitives::key_order(config.key))
      .set(shader::merge::kMergeKeys, keys.keys_per_lane)
      .set(shader::merge_tile_part::kHasSides, true)
      .set(shader::sorted_search::kNeedlesAreA, config.bound == Bound::lower)
      .build(merges.partition, "merge_partition");
  merges.build(builder.from(runtime::kernels::sorted_search()), tuning, keys, few, "sorted_search");
  if (!builder.status()) return builder.status().error();
  return SortedSearch(std::move(plan));
} catch (...) {
  return runtime::caught();
}

SortedSearch::SortedSearch(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t SortedSearch::tile_keys() const noexcept { return plan_->merges.large_tile_keys; }

VkDeviceSize SortedSearch::scratch_size(uint64_t max_needles, uint64_t max_haystack) const noexcept {
  // No call takes more.
  const uint64_t needles = std::min(max_needles, kMaxSearchKeys);
  const uint64_t haystack = std::min(max_haystack, kMaxSearchKeys);
  return plan_->merges.splits(std::min(needles + haystack, kMaxSearchKeys)) * 4;
}

Status SortedSearch::record(VkCommandBuffer commands, const SortedSearchArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t key_bytes = size_of(plan.config.key);
  const uint64_t needles = args.needle_count.maximum(), haystack = args.haystack_count.maximum();

  shader::MergePush push{};
  primitives::RecordCall call(*plan.state, kSortedSearchName, commands);
  if (needles >= kMaxSearchKeys) call.refuse("needle_count", "is 2^32 or more: " + std::to_string(needles));
  if (haystack >= kMaxSearchKeys || needles + haystack >= kMaxSearchKeys)
    call.refuse("haystack_count",
                "is " + std::to_string(haystack) + ", with the needles 2^32 or more: search parts of the haystack");
  call.read("needles", args.needles, needles * key_bytes, 4, push.keys_a)
      .write("output", args.output, needles * 4, 4, push.indices_out)
      .read("haystack", args.haystack, haystack * key_bytes, 4, push.keys_b)
      .scratch(args.scratch, scratch_size(needles, haystack), push.splits)
      .count("needle_count", args.needle_count, push.count_a, push.maximum_a, push.count_a_words)
      .count("haystack_count", args.haystack_count, push.count_b, push.maximum_b, push.count_b_words);
  if (!call.accepted()) return call.status();
  if (needles == 0) return {};
  if (plan.config.bound == Bound::upper) {
    std::swap(push.keys_a, push.keys_b);
    std::swap(push.count_a, push.count_b);
    std::swap(push.maximum_a, push.maximum_b);
    std::swap(push.count_a_words, push.count_b_words);
  }
  plan.merges.record(call, push, needles + haystack);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
