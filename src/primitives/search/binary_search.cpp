// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/binary_search.hpp>

#include <algorithm>

#include "primitives/core/arguments.hpp"
#include "primitives/core/search_keys.hpp"
#include "primitives/search/search_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "search/binary_search.h"

namespace weft {

using primitives::kMaxSearchKeys;
using runtime::ContextState;
using runtime::Pipeline;

struct BinarySearch::Plan {
  std::shared_ptr<const ContextState> state;
  BinarySearchConfig config;
  uint32_t tile_needles = 0;
  std::shared_ptr<const Pipeline> search;
};

namespace {

constexpr const char* kName = "BinarySearch";
constexpr uint32_t kLaneNeedles = 4;  // as in binary_search.comp

}  // namespace

Result<BinarySearch> BinarySearch::create(const Context& context, const BinarySearchConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_search_key(kName, config.key); !status) return status.error();
  const primitives::SearchTuning tuning = primitives::search_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  const uint32_t workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  plan->tile_needles = workgroup * kLaneNeedles;
  const uint32_t constants[] = {size_of(config.key) / 4, primitives::key_order(config.key),
                                config.bound == Bound::lower ? 1u : 0u};
  Result<std::shared_ptr<const Pipeline>> search =
      state.pipeline(runtime::kernels::binary_search(), "binary_search", workgroup, constants);
  if (!search) return search.error();
  plan->search = *std::move(search);
  return BinarySearch(std::move(plan));
} catch (...) {
  return runtime::caught();
}

BinarySearch::BinarySearch(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t BinarySearch::tile_needles() const noexcept { return plan_->tile_needles; }

Status BinarySearch::record(VkCommandBuffer commands, const BinarySearchArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint64_t key_bytes = size_of(plan.config.key);
  const uint64_t needles = args.needle_count.maximum(), haystack = args.haystack_count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (needles >= kMaxSearchKeys)
    return primitives::argument_error(kName, "needle_count", "is 2^32 or more: " + std::to_string(needles));
  if (haystack >= kMaxSearchKeys)
    return primitives::argument_error(kName, "haystack_count", "is 2^32 or more: " + std::to_string(haystack));
  shader::BinarySearchPush push{};
  primitives::RangeChecks ranges(state, kName);
  if (needles != 0) {
    push.needles = ranges.read("needles", args.needles, needles * key_bytes, 4);
    push.outputs = ranges.write("output", args.output, needles * 4, 4);
  }
  if (haystack != 0) push.haystack = ranges.read("haystack", args.haystack, haystack * key_bytes, 4);
  push.needle_count = ranges.count(args.needle_count, "needle_count");
  push.haystack_count = ranges.count(args.haystack_count, "haystack_count");
  if (Status status = ranges.finish(); !status) return status;
  if (needles == 0) return {};

  push.needle_maximum = static_cast<uint32_t>(needles);
  push.haystack_maximum = static_cast<uint32_t>(haystack);
  push.needle_count_words = static_cast<uint32_t>(args.needle_count.range().size / 4);
  push.haystack_count_words = static_cast<uint32_t>(args.haystack_count.range().size / 4);
  const uint64_t groups = (needles + plan.tile_needles - 1) / plan.tile_needles;
  primitives::dispatch(state, commands, *plan.search, push,
                       primitives::dispatch_size(groups, state.traits().max_workgroup_count_x));
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
