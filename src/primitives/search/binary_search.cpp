// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/binary_search.hpp>

#include <algorithm>

#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "primitives/core/search_keys.hpp"
#include "primitives/search/search_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "search/binary_search.h"
#include "weft/ordered_key.h"

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

constexpr const char* kBinarySearchName = "BinarySearch";
constexpr uint32_t kLaneNeedles = 4;  // as in binary_search.comp

}  // namespace

Result<BinarySearch> BinarySearch::create(const Context& context, const BinarySearchConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_search_key(kBinarySearchName, config.key); !status) return status.error();
  const primitives::SearchTuning tuning = primitives::search_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  const uint32_t workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  plan->tile_needles = workgroup * kLaneNeedles;
  primitives::PipelineBuilder builder(state, runtime::kernels::binary_search(), workgroup);
  builder.set(shader::ordered_key::kKeyWords, size_of(config.key) / 4)
      .set(shader::ordered_key::kKeyOrder, primitives::key_order(config.key))
      .set(shader::binary_search::kLower, config.bound == Bound::lower)
      .build(plan->search, "binary_search");
  if (!builder.status()) return builder.status().error();
  return BinarySearch(std::move(plan));
} catch (...) {
  return runtime::caught();
}

BinarySearch::BinarySearch(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t BinarySearch::tile_needles() const noexcept { return plan_->tile_needles; }

Status BinarySearch::record(VkCommandBuffer commands, const BinarySearchArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t key_bytes = size_of(plan.config.key);
  const uint64_t needles = args.needle_count.maximum(), haystack = args.haystack_count.maximum();

  shader::BinarySearchPush push{};
  primitives::RecordCall call(*plan.state, kBinarySearchName, commands);
  if (needles >= kMaxSearchKeys) call.refuse("needle_count", "is 2^32 or more: " + std::to_string(needles));
  if (haystack >= kMaxSearchKeys) call.refuse("haystack_count", "is 2^32 or more: " + std::to_string(haystack));
  call.read("needles", args.needles, needles * key_bytes, 4, push.needles)
      .write("output", args.output, needles * 4, 4, push.outputs)
      .read("haystack", args.haystack, haystack * key_bytes, 4, push.haystack)
      .count("needle_count", args.needle_count, push.needle_count, push.needle_maximum, push.needle_count_words)
      .count("haystack_count", args.haystack_count, push.haystack_count, push.haystack_maximum,
             push.haystack_count_words);
  if (!call.accepted()) return call.status();
  if (needles == 0) return {};
  call.dispatch(*plan.search, push, primitives::divided_up(needles, plan.tile_needles));
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
