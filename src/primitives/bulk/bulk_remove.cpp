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

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(plan.name, "commands", "is null");
  if (Status status = plan.check_items("count", items); !status) return status;
  if (indices > ~uint64_t{0} / plan.index_bytes)
    return primitives::argument_error(plan.name, "index_count", "is " + std::to_string(indices));
  shader::BulkRemovePush push{};
  primitives::RangeChecks ranges(*plan.state, plan.name);
  if (items != 0) {
    push.items = ranges.read("items", args.items, items * plan.item_bytes, plan.item_alignment());
    push.outputs = ranges.write("output", args.output, items * plan.item_bytes, plan.item_alignment());
  }
  if (indices != 0) push.indices = ranges.read("indices", args.indices, indices * plan.index_bytes, 4);
  push.total = ranges.write("kept", args.kept, sizeof(uint64_t), 4);
  push.splits = ranges.scratch(args.scratch, scratch_size(items));
  push.count = ranges.count(args.count, "count");
  push.index_count = ranges.count(args.index_count, "index_count");
  if (Status status = ranges.finish(); !status) return status;

  push.count_value = items;
  push.index_count_value = indices;
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  push.index_count_words = static_cast<uint32_t>(args.index_count.range().size / 4);
  plan.record(commands, push, items);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
