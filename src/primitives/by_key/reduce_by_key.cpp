// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce_by_key.hpp>

#include "by_key/reduce_by_key.h"
#include "by_key/scan_by_key.h"
#include "primitives/by_key/keyed_plan.hpp"
#include "primitives/core/look_back_faults.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::KeyedPlan;
using runtime::ContextState;

struct ReduceByKey::Plan {
  KeyedPlan keyed;
  ReduceByKeyConfig config;
};

namespace {

constexpr const char* kName = "ReduceByKey";
constexpr uint64_t kMaxItems = (uint64_t{1} << 32) - 1;  // kernels number runs in 32 bits

}  // namespace

Result<ReduceByKey> ReduceByKey::create(const Context& context, const ReduceByKeyConfig& config) noexcept try {
  return create(context, config, 0);
} catch (...) {
  return runtime::caught();
}

Result<ReduceByKey> ReduceByKey::create(const Context& context, const ReduceByKeyConfig& config, uint32_t fault) {
  Result<KeyedPlan> keyed =
      KeyedPlan::create(context, {kName, runtime::kernels::reduce_by_key(), "reduce_by_key", SegmentsBy::keys,
                                  config.key, config.op, config.item, config.accumulator, config.strategy, false, true,
                                  fault, config.own_kernels ? &*config.own_kernels : nullptr});
  if (!keyed) return keyed.error();
  return ReduceByKey(std::make_shared<const Plan>(Plan{std::move(*keyed), config}));
}

ReduceByKey::ReduceByKey(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy ReduceByKey::strategy() const noexcept { return plan_->keyed.strategy; }

uint32_t ReduceByKey::tile_items() const noexcept { return plan_->keyed.tile_items; }

VkDeviceSize ReduceByKey::scratch_size(uint64_t max_count) const noexcept {
  return plan_->keyed.scratch_size(max_count);
}

Status ReduceByKey::record(VkCommandBuffer commands, const ReduceByKeyArgs& args) const noexcept try {
  const KeyedPlan& plan = plan_->keyed;
  const ContextState& state = *plan.state;
  const uint32_t accumulator_bytes = plan.accumulator_bytes;
  const uint64_t maximum = args.count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (maximum > kMaxItems)
    return primitives::argument_error(kName, "count", "is more than 2^32 - 1: " + std::to_string(maximum));
  const auto item_alignment = [](uint32_t bytes) { return primitives::alignment_of(bytes); };
  shader::ReduceByKeyPush push{};
  primitives::RangeChecks ranges(state, kName);
  push.count = ranges.count(args.count);
  // Of no items there is nothing else to read or write.
  if (maximum != 0) {
    push.keys = ranges.read("keys", args.keys, maximum * plan.key_bytes, item_alignment(plan.key_bytes));
    push.items = ranges.read("values", args.values, maximum * plan.item_bytes, item_alignment(plan.item_bytes));
    push.keys_out = ranges.write("keys_out", args.keys_out, maximum * plan.key_bytes, item_alignment(plan.key_bytes));
    push.values_out =
        ranges.write("values_out", args.values_out, maximum * accumulator_bytes, item_alignment(accumulator_bytes));
  }
  push.count_out = ranges.counts("count_out", args.count_out, 1);
  const VkDeviceAddress scratch = ranges.scratch(args.scratch, scratch_size(maximum));
  if (Status status = ranges.finish(); !status) return status;

  push.count_value = maximum;
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  push.count_out_words = static_cast<uint32_t>(args.count_out.size / 4);
  push.head = plan.head_of(push.items);
  shader::ScanByKeyPush upsweep{};
  upsweep.keys = push.keys;
  upsweep.items = push.items;
  upsweep.count = push.count;
  upsweep.count_value = push.count_value;
  upsweep.count_words = push.count_words;
  upsweep.head = push.head;
  plan.record(commands, maximum, scratch, push, upsweep);
  return {};
} catch (...) {
  return runtime::caught();
}

namespace primitives {

Result<ReduceByKey> create_reduce_by_key_with_fault(const Context& context, const ReduceByKeyConfig& config,
                                                    const LookBackFault& fault) {
  return ByKeyWithFault::create<ReduceByKey>(context, config, fault);
}

}  // namespace primitives
}  // namespace weft
