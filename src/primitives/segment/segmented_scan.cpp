// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_scan.hpp>

#include <weft/scan_by_key.hpp>

#include "core/look_back.h"
#include "primitives/by_key/keyed_plan.hpp"
#include "runtime/kernel_families.hpp"
#include "segment/segmented_scan.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct SegmentedScan::Plan {
  std::shared_ptr<const ContextState> state;
  bool own = false;
  uint32_t offset_bytes = 0;
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  ScanByKey scan;
  std::shared_ptr<const Pipeline> clear, heads;
};

namespace {

constexpr const char* kName = "SegmentedScan";
constexpr uint32_t kHeadsWorkgroup = 128;
constexpr uint32_t kLaneOffsets = 4;  // as in shaders/segment/segmented_scan_heads.comp
// Within what ScanByKey's tiles hold, and bits of so many are cleared by one dispatch.
constexpr uint64_t kMaxItems = uint64_t{1} << 39;
constexpr uint64_t kMaxSegments = uint64_t{1} << 40;

/// Of the heads, a whole number of vectors of 16.
uint64_t head_bytes(uint64_t items) { return items / 128 * 16 + (items % 128 != 0 ? 16 : 0); }

}  // namespace

Result<SegmentedScan> SegmentedScan::create(const Context& context, const SegmentedScanConfig& config) noexcept try {
  const ContextState& state = *context.state();
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (const Status status =
          own != nullptr ? primitives::check_own_kernels(kName, *own, "scan_by_key")
                         : primitives::check_segment_values(state, kName, config.op, config.item, config.accumulator);
      !status)
    return status.error();
  if (const Status status = primitives::check_offset(kName, config.offset); !status) return status.error();
  Result<ScanByKey> scan =
      ScanByKey::create(context, {config.kind, config.op, SegmentsBy::head_bits, Type::u32, config.item,
                                  config.accumulator, config.strategy, config.own_kernels});
  if (!scan) return scan.error();
  const uint32_t constants[] = {size_of(config.offset) / 4};
  const Result<std::shared_ptr<const Pipeline>> clear =
      state.pipeline(runtime::kernels::look_back(), "look_back_reset", primitives::kResetWorkgroup, {});
  if (!clear) return clear.error();
  const Result<std::shared_ptr<const Pipeline>> heads =
      state.pipeline(runtime::kernels::segmented_scan(), "segmented_scan_heads", kHeadsWorkgroup, constants);
  if (!heads) return heads.error();
  return SegmentedScan(std::make_shared<const Plan>(
      Plan{context.state(), own != nullptr, size_of(config.offset),
           own != nullptr ? own->item_bytes() : size_of(config.item),
           own != nullptr ? own->accumulator_bytes() : size_of(config.accumulator), *std::move(scan), *clear, *heads}));
} catch (...) {
  return runtime::caught();
}

SegmentedScan::SegmentedScan(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy SegmentedScan::strategy() const noexcept { return plan_->scan.strategy(); }

uint32_t SegmentedScan::tile_items() const noexcept { return plan_->scan.tile_items(); }

VkDeviceSize SegmentedScan::scratch_size(uint64_t max_items) const noexcept {
  return head_bytes(max_items) + plan_->scan.scratch_size(max_items);
}

Status SegmentedScan::record(VkCommandBuffer commands, const SegmentedScanArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint64_t count = args.count.maximum(), items = args.item_count.maximum();

  // All that ScanByKey would refuse, under the names that it has here.
  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (items >= kMaxItems)
    return primitives::argument_error(kName, "item_count", "is 2^39 or more: " + std::to_string(items));
  if (count >= kMaxSegments)
    return primitives::argument_error(kName, "count", "is 2^40 or more: " + std::to_string(count));
  if (plan.own && args.initial) return primitives::argument_error(kName, "initial", "does not go with own_kernels");
  shader::SegmentedScanPush push{};
  primitives::RangeChecks ranges(state, kName);
  push.count = ranges.count(args.count);
  push.item_count = ranges.count(args.item_count, "item_count");
  if (items != 0) {
    const Result<primitives::LocatedRange> located = primitives::locate(
        state, kName, "items", args.items, items * plan.item_bytes, primitives::alignment_of(plan.item_bytes));
    if (!located) return located.error();
    const VkDeviceAddress output = ranges.write("output", args.output, items * plan.accumulator_bytes,
                                                primitives::alignment_of(plan.accumulator_bytes));
    const bool in_place = output == located->address && plan.item_bytes == plan.accumulator_bytes;
    if (!in_place) ranges.read("items", args.items, items * plan.item_bytes, primitives::alignment_of(plan.item_bytes));
    push.offsets = ranges.read("offsets", args.offsets, (count + 1) * plan.offset_bytes, 4);
    push.heads = ranges.scratch(args.scratch, scratch_size(items));
  }
  if (Status status = ranges.finish(); !status) return status;
  if (items == 0) return {};

  push.count_value = count;
  push.item_count_value = items;
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  push.item_count_words = static_cast<uint32_t>(args.item_count.range().size / 4);
  const uint32_t max_x = state.traits().max_workgroup_count_x;
  const uint64_t bytes = head_bytes(items);
  const auto vectors = static_cast<uint32_t>(bytes / 16);
  constexpr uint32_t kReset = primitives::kResetWorkgroup;
  primitives::dispatch(state, commands, *plan.clear, shader::LookBackResetPush{push.heads, vectors, 0},
                       primitives::dispatch_size((uint64_t{vectors} + kReset - 1) / kReset, max_x));
  primitives::barrier_between(state, commands);
  primitives::dispatch(state, commands, *plan.heads, push,
                       primitives::dispatch_size(count / (kHeadsWorkgroup * kLaneOffsets) + 1, max_x));
  primitives::barrier_between(state, commands);
  const BufferRange heads{args.scratch.buffer, args.scratch.offset, bytes};
  const BufferRange rest{args.scratch.buffer, args.scratch.offset + bytes, args.scratch.size - bytes};
  return plan.scan.record(commands, {heads, args.items, args.output, rest, args.item_count, args.initial});
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
