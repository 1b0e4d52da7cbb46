// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_insert.hpp>

#include "bulk/bulk_insert.h"
#include "primitives/bulk/bulk_plan.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::BulkPlan;

struct BulkInsert::Plan {
  BulkPlan bulk;
};

namespace {

// Sums that would wrap are more than any call takes.
uint64_t sum_of(uint64_t a, uint64_t b) { return a > ~uint64_t{0} - b ? ~uint64_t{0} : a + b; }

}  // namespace

Result<BulkInsert> BulkInsert::create(const Context& context, const BulkInsertConfig& config) noexcept try {
  Result<BulkPlan> bulk =
      BulkPlan::create(context, {"BulkInsert", runtime::kernels::bulk_insert(), "bulk_insert_partition",
                                 "bulk_insert_tiles", config.item_bytes, config.position, "positions"});
  if (!bulk) return bulk.error();
  return BulkInsert(std::make_shared<const Plan>(Plan{std::move(*bulk)}));
} catch (...) {
  return runtime::caught();
}

BulkInsert::BulkInsert(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t BulkInsert::tile_items() const noexcept { return plan_->bulk.tile_items; }

VkDeviceSize BulkInsert::scratch_size(uint64_t max_count, uint64_t max_inserted) const noexcept {
  return plan_->bulk.scratch_size(sum_of(max_count, max_inserted));
}

Status BulkInsert::record(VkCommandBuffer commands, const BulkInsertArgs& args) const noexcept try {
  const BulkPlan& plan = plan_->bulk;
  const uint64_t items = args.count.maximum(), inserted = args.inserted_count.maximum();
  const uint64_t outputs = sum_of(items, inserted);

  shader::BulkInsertPush push{};
  primitives::RecordCall call(*plan.state, plan.name, commands);
  plan.check_items(call, "count", items);
  plan.check_items(call, "inserted_count", outputs);
  call.read("items", args.items, items * plan.item_bytes, plan.item_alignment(), push.items)
      .read("inserted", args.inserted, inserted * plan.item_bytes, plan.item_alignment(), push.inserted)
      .read("positions", args.positions, inserted * plan.index_bytes, 4, push.indices)
      .write("output", args.output, outputs * plan.item_bytes, plan.item_alignment(), push.outputs)
      .write("total", args.total, sizeof(uint64_t), 4, push.total)
      .scratch(args.scratch, scratch_size(items, inserted), push.splits)
      .count("count", args.count, push.count, push.count_value, push.count_words)
      .count("inserted_count", args.inserted_count, push.index_count, push.index_count_value, push.index_count_words);
  if (!call.accepted()) return call.status();
  plan.record(call, push, outputs);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
