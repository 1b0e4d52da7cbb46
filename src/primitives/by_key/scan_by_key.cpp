// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan_by_key.hpp>

#include "primitives/by_key/keyed_plan.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::KeyedPlan;

struct ScanByKey::Plan {
  KeyedPlan keyed;
  ScanByKeyConfig config;
};

namespace {

constexpr const char* kScanByKeyName = "ScanByKey";

}  // namespace

Result<ScanByKey> ScanByKey::create(const Context& context, const ScanByKeyConfig& config) noexcept try {
  Result<KeyedPlan> keyed = KeyedPlan::create(
      context, {kScanByKeyName, runtime::kernels::scan_by_key(), "scan_by_key",
                primitives::scan_by_key_tuning.of(*context.state()), config.segments, config.key, config.op,
                config.item, config.accumulator, config.strategy, config.kind == ScanKind::inclusive, false,
                config.own_kernels ? &*config.own_kernels : nullptr});
  if (!keyed) return keyed.error();
  return ScanByKey(std::make_shared<const Plan>(Plan{*std::move(keyed), config}));
} catch (...) {
  return runtime::caught();
}

ScanByKey::ScanByKey(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy ScanByKey::strategy() const noexcept { return plan_->keyed.pass.strategy(); }

uint32_t ScanByKey::tile_items() const noexcept { return plan_->keyed.pass.tile_items(); }

VkDeviceSize ScanByKey::scratch_size(uint64_t max_count) const noexcept {
  return plan_->keyed.pass.scratch_size(max_count);
}

Status ScanByKey::record(VkCommandBuffer commands, const ScanByKeyArgs& args) const noexcept try {
  const KeyedPlan& plan = plan_->keyed;
  const ScanByKeyConfig& config = plan_->config;
  const uint64_t maximum = args.count.maximum();

  shader::ScanByKeyPush push{};
  VkDeviceAddress scratch = 0;
  primitives::RecordCall call(*plan.state, kScanByKeyName, commands);
  if (maximum / plan.pass.tile_items() >= primitives::kMaxTiles)
    call.refuse("count", "is more than 2^31 tiles hold: " + std::to_string(maximum));
  call.refuse_if(config.own_kernels && args.initial, "initial", "does not go with own_kernels")
      .read("keys", args.keys, plan.keys_bytes(maximum), plan.key_alignment(), push.keys)
      .read("values", args.values, maximum * plan.item_bytes, primitives::alignment_of(plan.item_bytes), push.items)
      .write_over("output", args.output, maximum * plan.accumulator_bytes,
                  primitives::alignment_of(plan.accumulator_bytes), push.outputs)
      .scratch(args.scratch, maximum == 0 ? 0 : scratch_size(maximum), scratch)
      .count("count", args.count, push.count, push.count_value, push.count_words);
  if (!call.accepted()) return call.status();
  if (maximum == 0) return {};

  if (!config.own_kernels)
    push.initial = args.initial ? args.initial->bits : primitives::identity_bits(config.op, config.accumulator);
  push.head = plan.head_of(push.items);
  plan.record(call, maximum, scratch, push);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
