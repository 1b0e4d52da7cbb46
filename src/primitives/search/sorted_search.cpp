// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/sorted_search.hpp>

#include <algorithm>

#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "primitives/core/search_keys.hpp"
#include "primitives/search/search_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "search/sorted_search.h"
#include "weft/ordered_key.h"

namespace weft {

using primitives::kMaxSearchKeys;
using runtime::ContextState;
using runtime::Pipeline;

struct SortedSearch::Plan {
  std::shared_ptr<const ContextState> state;
  SortedSearchConfig config;
  uint32_t workgroup = 0;
  uint32_t tile_keys = 0;
  std::shared_ptr<const Pipeline> partition, search;

  uint64_t tiles(uint64_t keys) const { return primitives::divided_up(keys, tile_keys); }
};

namespace {

constexpr const char* kSortedSearchName = "SortedSearch";
// Of 16 KiB, which every device has; emulated subgroups take some.
constexpr uint32_t kSortedSearchMaxTileBytes = 12 << 10;

}  // namespace

Result<SortedSearch> SortedSearch::create(const Context& context, const SortedSearchConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_search_key(kSortedSearchName, config.key); !status) return status.error();
  const primitives::SearchTuning tuning = primitives::search_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  const uint32_t key_bytes = size_of(config.key);
  const uint32_t lane_keys =
      std::clamp(tuning.keys * 4 / key_bytes, 1u, kSortedSearchMaxTileBytes / (plan->workgroup * key_bytes));
  plan->tile_keys = plan->workgroup * lane_keys;

  primitives::PipelineBuilder builder(state, runtime::kernels::sorted_search(), plan->workgroup);
  builder.set(shader::ordered_key::kKeyWords, key_bytes / 4)
      .set(shader::ordered_key::kKeyOrder, primitives::key_order(config.key))
      .set(shader::sorted_search::kMergeLaneKeys, lane_keys)
      .set(shader::sorted_search::kMergeEqualFromA, config.bound == Bound::lower)
      .build(plan->partition, "sorted_search_partition")
      .build(plan->search, "sorted_search_merge");
  if (!builder.status()) return builder.status().error();
  return SortedSearch(std::move(plan));
} catch (...) {
  return runtime::caught();
}

SortedSearch::SortedSearch(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t SortedSearch::tile_keys() const noexcept { return plan_->tile_keys; }

VkDeviceSize SortedSearch::scratch_size(uint64_t max_needles, uint64_t max_haystack) const noexcept {
  // No call takes more.
  const uint64_t needles = std::min(max_needles, kMaxSearchKeys);
  const uint64_t haystack = std::min(max_haystack, kMaxSearchKeys);
  return (plan_->tiles(std::min(needles + haystack, kMaxSearchKeys)) + 1) * 4;
}

Status SortedSearch::record(VkCommandBuffer commands, const SortedSearchArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t key_bytes = size_of(plan.config.key);
  const uint64_t needles = args.needle_count.maximum(), haystack = args.haystack_count.maximum();

  shader::SortedSearchPush push{};
  primitives::RecordCall call(*plan.state, kSortedSearchName, commands);
  if (needles >= kMaxSearchKeys) call.refuse("needle_count", "is 2^32 or more: " + std::to_string(needles));
  if (haystack >= kMaxSearchKeys || needles + haystack >= kMaxSearchKeys)
    call.refuse("haystack_count",
                "is " + std::to_string(haystack) + ", with the needles 2^32 or more: search parts of the haystack");
  call.read("needles", args.needles, needles * key_bytes, 4, push.needles)
      .write("output", args.output, needles * 4, 4, push.outputs)
      .read("haystack", args.haystack, haystack * key_bytes, 4, push.haystack)
      .scratch(args.scratch, scratch_size(needles, haystack), push.splits)
      .count("needle_count", args.needle_count, push.needle_count, push.needle_maximum, push.needle_count_words)
      .count("haystack_count", args.haystack_count, push.haystack_count, push.haystack_maximum,
             push.haystack_count_words);
  if (!call.accepted()) return call.status();
  if (needles == 0) return {};

  const uint64_t tiles = plan.tiles(needles + haystack);
  call.dispatch(*plan.partition, push, tiles * primitives::kMergePathLanes / plan.workgroup + 1);
  call.barrier();
  call.dispatch(*plan.search, push, tiles);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
