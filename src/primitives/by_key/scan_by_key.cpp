// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan_by_key.hpp>

#include "by_key/scan_by_key.h"
#include "primitives/by_key/keyed_plan.hpp"
#include "primitives/core/look_back_faults.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::KeyedPlan;
using primitives::LocatedRange;
using runtime::ContextState;

struct ScanByKey::Plan {
  KeyedPlan keyed;
  ScanByKeyConfig config;
};

namespace {

constexpr const char* kName = "ScanByKey";

}  // namespace

Result<ScanByKey> ScanByKey::create(const Context& context, const ScanByKeyConfig& config) noexcept try {
  return create(context, config, 0);
} catch (...) {
  return runtime::caught();
}

Result<ScanByKey> ScanByKey::create(const Context& context, const ScanByKeyConfig& config, uint32_t fault) {
  Result<KeyedPlan> keyed = KeyedPlan::create(
      context, {kName, runtime::kernels::scan_by_key(), "scan_by_key", config.segments, config.key, config.op,
                config.item, config.accumulator, config.strategy, config.kind == ScanKind::inclusive, false, fault,
                config.own_kernels ? &*config.own_kernels : nullptr});
  if (!keyed) return keyed.error();
  return ScanByKey(std::make_shared<const Plan>(Plan{std::move(*keyed), config}));
}

ScanByKey::ScanByKey(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy ScanByKey::strategy() const noexcept { return plan_->keyed.strategy; }

uint32_t ScanByKey::tile_items() const noexcept { return plan_->keyed.tile_items; }

VkDeviceSize ScanByKey::scratch_size(uint64_t max_count) const noexcept { return plan_->keyed.scratch_size(max_count); }

Status ScanByKey::record(VkCommandBuffer commands, const ScanByKeyArgs& args) const noexcept try {
  const KeyedPlan& plan = plan_->keyed;
  const ScanByKeyConfig& config = plan_->config;
  const ContextState& state = *plan.state;
  const uint32_t item_bytes = plan.item_bytes;
  const uint32_t accumulator_bytes = plan.accumulator_bytes;
  const uint64_t maximum = args.count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (maximum / plan.tile_items >= primitives::kMaxTiles)
    return primitives::argument_error(kName, "count", "is more than 2^31 tiles hold: " + std::to_string(maximum));
  if (config.own_kernels && args.initial)
    return primitives::argument_error(kName, "initial", "does not go with own_kernels");
  const Result<VkDeviceAddress> count = primitives::locate_count(state, kName, args.count);
  if (!count) return count.error();
  if (maximum == 0) return {};

  const Result<LocatedRange> keys = plan.locate_keys(kName, args.keys, maximum);
  if (!keys) return keys.error();
  const Result<LocatedRange> values = primitives::locate(state, kName, "values", args.values, maximum * item_bytes,
                                                         primitives::alignment_of(item_bytes));
  if (!values) return values.error();
  const Result<LocatedRange> output = primitives::locate(
      state, kName, "output", args.output, maximum * accumulator_bytes, primitives::alignment_of(accumulator_bytes));
  if (!output) return output.error();
  const Result<LocatedRange> scratch =
      primitives::locate(state, kName, "scratch", args.scratch, scratch_size(maximum), 16);
  if (!scratch) return scratch.error();

  const bool in_place = values->address == output->address && item_bytes == accumulator_bytes;
  if (!in_place && primitives::overlap(*values, *output))
    return primitives::argument_error(kName, "output", "overlaps values without being the same bytes");
  if (primitives::overlap(*keys, *output)) return primitives::argument_error(kName, "output", "overlaps keys");
  for (const LocatedRange* range : {&*keys, &*values, &*output})
    if (primitives::overlap(*scratch, *range))
      return primitives::argument_error(kName, "scratch", std::string("overlaps ") + range->name);
  if (args.count.is_on_device()) {
    const LocatedRange located{"count", *count, args.count.range().size};
    for (const LocatedRange* range : {&*output, &*scratch})
      if (primitives::overlap(located, *range))
        return primitives::argument_error(kName, "count", std::string("overlaps ") + range->name);
  }

  shader::ScanByKeyPush push{};
  push.keys = keys->address;
  push.items = values->address;
  push.outputs = output->address;
  push.count = *count;
  push.count_value = maximum;
  if (!config.own_kernels)
    push.initial = args.initial ? args.initial->bits : primitives::identity_bits(config.op, config.accumulator);
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  push.head = plan.head_of(values->address);
  plan.record(commands, maximum, scratch->address, push, push);
  return {};
} catch (...) {
  return runtime::caught();
}

namespace primitives {

Result<ScanByKey> create_scan_by_key_with_fault(const Context& context, const ScanByKeyConfig& config,
                                                const LookBackFault& fault) {
  return ByKeyWithFault::create<ScanByKey>(context, config, fault);
}

}  // namespace primitives
}  // namespace weft
