// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_scan.hpp>

#include <weft/scan_by_key.hpp>

#include "primitives/by_key/segments.hpp"
#include "primitives/core/prefix_pass.hpp"
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
  primitives::ClearPass clear;
  std::shared_ptr<const Pipeline> heads;
};

namespace {

constexpr const char* kSegmentedScanName = "SegmentedScan";
constexpr uint32_t kHeadsWorkgroup = 128;
constexpr uint32_t kLaneOffsets = 4;  // as in shaders/segment/segmented_scan_heads.comp
// Within what ScanByKey's tiles hold, and bits of so many are cleared by one dispatch.
constexpr uint64_t kSegmentedScanMaxItems = uint64_t{1} << 39;
constexpr uint64_t kMaxSegments = uint64_t{1} << 40;

/// Of the heads, a whole number of vectors of 16.
uint64_t head_bytes(uint64_t items) { return items / 128 * 16 + (items % 128 != 0 ? 16 : 0); }

}  // namespace

Result<SegmentedScan> SegmentedScan::create(const Context& context, const SegmentedScanConfig& config) noexcept try {
  const ContextState& state = *context.state();
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (const Status status = own != nullptr ? primitives::check_own_kernels(kSegmentedScanName, *own, "scan_by_key")
                                           : primitives::check_segment_values(state, kSegmentedScanName, config.op,
                                                                              config.item, config.accumulator);
      !status)
    return status.error();
  if (const Status status = primitives::check_offset(kSegmentedScanName, config.offset); !status) return status.error();
  Result<ScanByKey> scan =
      ScanByKey::create(context, {config.kind, config.op, SegmentsBy::head_bits, Type::u32, config.item,
                                  config.accumulator, config.strategy, config.own_kernels});
  if (!scan) return scan.error();
  auto plan = std::make_shared<Plan>(Plan{context.state(),
                                          own != nullptr,
                                          size_of(config.offset),
                                          own != nullptr ? own->item_bytes() : size_of(config.item),
                                          own != nullptr ? own->accumulator_bytes() : size_of(config.accumulator),
                                          *std::move(scan),
                                          {},
                                          {}});
  if (Status status = plan->clear.create(state); !status) return status.error();
  primitives::PipelineBuilder builder(state, runtime::kernels::segmented_scan(), kHeadsWorkgroup);
  builder.set(shader::segmented_scan::kOffsetWords, plan->offset_bytes / 4).build(plan->heads, "segmented_scan_heads");
  if (!builder.status()) return builder.status().error();
  return SegmentedScan(std::move(plan));
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
  const uint64_t count = args.count.maximum(), items = args.item_count.maximum();

  // All that ScanByKey would refuse, under the names that it has here.
  shader::SegmentedScanPush push{};
  VkDeviceAddress items_address = 0, output = 0;
  primitives::RecordCall call(*plan.state, kSegmentedScanName, commands);
  if (items >= kSegmentedScanMaxItems) call.refuse("item_count", "is 2^39 or more: " + std::to_string(items));
  if (count >= kMaxSegments) call.refuse("count", "is 2^40 or more: " + std::to_string(count));
  call.refuse_if(plan.own && args.initial, "initial", "does not go with own_kernels")
      .count("count", args.count, push.count, push.count_value, push.count_words)
      .count("item_count", args.item_count, push.item_count, push.item_count_value, push.item_count_words)
      .read("items", args.items, items * plan.item_bytes, primitives::alignment_of(plan.item_bytes), items_address)
      .write_over("output", args.output, items * plan.accumulator_bytes,
                  primitives::alignment_of(plan.accumulator_bytes), output)
      .read("offsets", args.offsets, items == 0 ? 0 : (count + 1) * plan.offset_bytes, 4, push.offsets)
      .scratch(args.scratch, items == 0 ? 0 : scratch_size(items), push.heads);
  if (!call.accepted()) return call.status();
  if (items == 0) return {};

  const uint64_t bytes = head_bytes(items);
  plan.clear.record(call, push.heads, bytes);
  call.barrier();
  call.dispatch(*plan.heads, push, count / (kHeadsWorkgroup * kLaneOffsets) + 1);
  call.barrier();
  const BufferRange heads{args.scratch.buffer, args.scratch.offset, bytes, args.scratch.address};
  const BufferRange rest{args.scratch.buffer, args.scratch.offset + bytes, args.scratch.size - bytes,
                         args.scratch.address};
  return plan.scan.record(commands, {heads, args.items, args.output, rest, args.item_count, args.initial});
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
