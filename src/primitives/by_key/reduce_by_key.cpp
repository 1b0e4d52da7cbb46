// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce_by_key.hpp>

#include "by_key/reduce_by_key.h"
#include "primitives/by_key/keyed_plan.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::KeyedPlan;

struct ReduceByKey::Plan {
  KeyedPlan keyed;
  ReduceByKeyConfig config;
};

namespace {

constexpr const char* kReduceByKeyName = "ReduceByKey";
constexpr uint64_t kMaxItems = (uint64_t{1} << 32) - 1;  // kernels number runs in 32 bits

}  // namespace

Result<ReduceByKey> ReduceByKey::create(const Context& context, const ReduceByKeyConfig& config) noexcept try {
  Result<KeyedPlan> keyed =
      KeyedPlan::create(context, {kReduceByKeyName, runtime::kernels::reduce_by_key(), "reduce_by_key",
                                  primitives::reduce_by_key_tuning.of(*context.state()), SegmentsBy::keys, config.key,
                                  config.op, config.item, config.accumulator, config.strategy, false, true,
                                  config.own_kernels ? &*config.own_kernels : nullptr});
  if (!keyed) return keyed.error();
  return ReduceByKey(std::make_shared<const Plan>(Plan{*std::move(keyed), config}));
} catch (...) {
  return runtime::caught();
}

ReduceByKey::ReduceByKey(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy ReduceByKey::strategy() const noexcept { return plan_->keyed.pass.strategy(); }

uint32_t ReduceByKey::tile_items() const noexcept { return plan_->keyed.pass.tile_items(); }

VkDeviceSize ReduceByKey::scratch_size(uint64_t max_count) const noexcept {
  return plan_->keyed.pass.scratch_size(max_count);
}

Status ReduceByKey::record(VkCommandBuffer commands, const ReduceByKeyArgs& args) const noexcept try {
  const KeyedPlan& plan = plan_->keyed;
  const uint64_t maximum = args.count.maximum();
  const uint64_t key_bytes = maximum * plan.key_bytes, accumulator_bytes = maximum * plan.accumulator_bytes;
  const uint32_t accumulator_alignment = primitives::alignment_of(plan.accumulator_bytes);

  shader::ReduceByKeyPush push{};
  VkDeviceAddress scratch = 0;
  primitives::RecordCall call(*plan.state, kReduceByKeyName, commands);
  if (maximum > kMaxItems) call.refuse("count", "is more than 2^32 - 1: " + std::to_string(maximum));
  call.count("count", args.count, push.count, push.count_value, push.count_words)
      .read("keys", args.keys, key_bytes, plan.key_alignment(), push.keys)
      .read("values", args.values, maximum * plan.item_bytes, primitives::alignment_of(plan.item_bytes), push.items)
      .write("keys_out", args.keys_out, key_bytes, plan.key_alignment(), push.keys_out)
      .write("values_out", args.values_out, accumulator_bytes, accumulator_alignment, push.values_out)
      .counts("count_out", args.count_out, 1, push.count_out)
      .scratch(args.scratch, scratch_size(maximum), scratch);
  if (!call.accepted()) return call.status();

  push.count_out_words = static_cast<uint32_t>(args.count_out.size / 4);
  push.head = plan.head_of(push.items);
  plan.record(call, maximum, scratch, push);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
