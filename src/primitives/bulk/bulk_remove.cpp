// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_remove.hpp>

#include "bulk/bulk_remove.h"
#include "primitives/bulk/bulk_plan.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::BulkPlan;

struct BulkRemove::Plan {
  BulkPlan bulk;
};

Result<BulkRemove> BulkRemove::create(const Context& context, const BulkRemoveConfig& config) noexcept try {
  Result<BulkPlan> bulk =
      BulkPlan::create(context, {"BulkRemove", runtime::kernels::bulk_remove(), "bulk_remove_partition",
                                 "bulk_remove_tiles", config.item_bytes, config.index, "indices"});
  if (!bulk) return bulk.error();
  return BulkRemove(std::make_shared<const Plan>(Plan{std::move(*bulk)}));
} catch (...) {
  return runtime::caught();
}

BulkRemove::BulkRemove(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t BulkRemove::tile_items() const noexcept { return plan_->bulk.tile_items; }

VkDeviceSize BulkRemove::scratch_size(uint64_t max_count) const noexcept { return plan_->bulk.scratch_size(max_count); }

Status BulkRemove::record(VkCommandBuffer commands, const BulkRemoveArgs& args) const noexcept try {
  const BulkPlan& plan = plan_->bulk;
  const uint64_t items = args.count.maximum(), indices = args.index_count.maximum();

  shader::BulkRemovePush push{};
  primitives::RecordCall call(*plan.state, plan.name, commands);
  plan.check_items(call, "count", items);
  if (indices > ~uint64_t{0} / plan.index_bytes) call.refuse("index_count", "is " + std::to_string(indices));
  call.read("items", args.items, items * plan.item_bytes, plan.item_alignment(), push.items)
      .write("output", args.output, items * plan.item_bytes, plan.item_alignment(), push.outputs)
      .read("indices", args.indices, indices * plan.index_bytes, 4, push.indices)
      .write("kept", args.kept, sizeof(uint64_t), 4, push.total)
      .scratch(args.scratch, scratch_size(items), push.splits)
      .count("count", args.count, push.count, push.count_value, push.count_words)
      .count("index_count", args.index_count, push.index_count, push.index_count_value, push.index_count_words);
  if (!call.accepted()) return call.status();
  plan.record(call, push, items);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
