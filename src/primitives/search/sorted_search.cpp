// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/sorted_search.hpp>

#include <algorithm>

#include "primitives/core/arguments.hpp"
#include "primitives/core/search_keys.hpp"
#include "primitives/search/search_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "search/sorted_search.h"

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

  uint64_t tiles(uint64_t keys) const { return keys / tile_keys + (keys % tile_keys != 0 ? 1 : 0); }
};

namespace {

constexpr const char* kName = "SortedSearch";
// Of 16 KiB, which every device has; emulated subgroups take some.
constexpr uint32_t kMaxTileBytes = 12 << 10;

}  // namespace

Result<SortedSearch> SortedSearch::create(const Context& context, const SortedSearchConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_search_key(kName, config.key); !status) return status.error();
  const primitives::SearchTuning tuning = primitives::search_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  const uint32_t key_bytes = size_of(config.key);
  const uint32_t lane_keys = std::clamp(tuning.keys * 4 / key_bytes, 1u, kMaxTileBytes / (plan->workgroup * key_bytes));
  plan->tile_keys = plan->workgroup * lane_keys;

  const uint32_t constants[] = {key_bytes / 4, primitives::key_order(config.key), lane_keys,
                                config.bound == Bound::lower ? 1u : 0u};
  const char* const search = tuning.by_rows != 0 ? "sorted_search_rows" : "sorted_search_merge";
  for (const auto& [pipeline, stem] :
       {std::pair(&plan->partition, "sorted_search_partition"), std::pair(&plan->search, search)}) {
    Result<std::shared_ptr<const Pipeline>> built =
        state.pipeline(runtime::kernels::sorted_search(), stem, plan->workgroup, constants);
    if (!built) return built.error();
    *pipeline = *std::move(built);
  }
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
  const ContextState& state = *plan.state;
  const uint64_t key_bytes = size_of(plan.config.key);
  const uint64_t needles = args.needle_count.maximum(), haystack = args.haystack_count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (needles >= kMaxSearchKeys)
    return primitives::argument_error(kName, "needle_count", "is 2^32 or more: " + std::to_string(needles));
  if (haystack >= kMaxSearchKeys || needles + haystack >= kMaxSearchKeys)
    return primitives::argument_error(
        kName, "haystack_count",
        "is " + std::to_string(haystack) + ", with the needles 2^32 or more: search parts of the haystack");
  shader::SortedSearchPush push{};
  primitives::RangeChecks ranges(state, kName);
  if (needles != 0) {
    push.needles = ranges.read("needles", args.needles, needles * key_bytes, 4);
    push.outputs = ranges.write("output", args.output, needles * 4, 4);
  }
  if (haystack != 0) push.haystack = ranges.read("haystack", args.haystack, haystack * key_bytes, 4);
  push.splits = ranges.scratch(args.scratch, scratch_size(needles, haystack));
  push.needle_count = ranges.count(args.needle_count, "needle_count");
  push.haystack_count = ranges.count(args.haystack_count, "haystack_count");
  if (Status status = ranges.finish(); !status) return status;
  if (needles == 0) return {};

  push.needle_maximum = static_cast<uint32_t>(needles);
  push.haystack_maximum = static_cast<uint32_t>(haystack);
  push.needle_count_words = static_cast<uint32_t>(args.needle_count.range().size / 4);
  push.haystack_count_words = static_cast<uint32_t>(args.haystack_count.range().size / 4);
  const uint64_t tiles = plan.tiles(needles + haystack);
  const uint32_t max_groups = state.traits().max_workgroup_count_x;
  primitives::dispatch(state, commands, *plan.partition, push,
                       primitives::dispatch_size(tiles * primitives::kMergePathLanes / plan.workgroup + 1, max_groups));
  primitives::barrier_between(state, commands);
  primitives::dispatch(state, commands, *plan.search, push, primitives::dispatch_size(tiles, max_groups));
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
