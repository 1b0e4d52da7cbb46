// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/bulk/bulk_plan.hpp"

#include <algorithm>
#include <string>

#include "primitives/bulk/bulk_tuning.hpp"

namespace weft::primitives {

namespace {

constexpr uint64_t kBulkMaxTiles = uint64_t{1} << 30;
constexpr uint32_t kMaxItemBytes = 256;
constexpr uint32_t kMaxStageWords = 2048;  // of shared memory, for items of less than a word

}  // namespace

Result<BulkPlan> BulkPlan::create(const Context& context, const Desc& desc) {
  const runtime::ContextState& state = *context.state();
  const uint32_t bytes = desc.item_bytes;
  const std::string name = desc.name;
  if (bytes != 1 && bytes != 2 && (bytes == 0 || bytes % 4 != 0 || bytes > kMaxItemBytes))
    return Error{ErrorCode::unsupported,
                 name + ": items have 1, 2, or a multiple of 4 bytes up to 256, not " + std::to_string(bytes)};
  if (desc.index != Type::u32 && desc.index != Type::u64)
    return Error{ErrorCode::unsupported,
                 name + ": " + desc.indices_name + " are u32 or u64, not " + name_of(desc.index)};
  const BulkTuning tuning = bulk_tuning.of(state);

  BulkPlan plan;
  plan.state = context.state();
  plan.name = desc.name;
  plan.item_bytes = bytes;
  plan.index_bytes = size_of(desc.index);
  plan.workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  // As bulk_tiles.glsl has it: a lane moves units of 1, 2 or 4 words, of which a tile has a whole number of items.
  const uint32_t unit_words = bytes % 16 == 0 ? 4 : bytes % 8 == 0 ? 2 : 1;
  uint32_t rows = std::max(1u, tuning.words / unit_words);
  if (bytes < 4) rows = std::min(rows, kMaxStageWords / plan.workgroup);
  const uint32_t tile_units = plan.workgroup * rows;
  plan.tile_items = bytes < 4 ? tile_units * (4 / bytes) : tile_units / (bytes / (4 * unit_words));

  PipelineBuilder builder(state, desc.kernels, plan.workgroup);
  builder.set(shader::bulk::kItemBytes, bytes)
      .set(shader::bulk::kRows, rows)
      .set(shader::bulk::kIndexWords, size_of(desc.index) / 4)
      .build(plan.partition, desc.partition)
      .build(plan.tiles, desc.tiles);
  if (!builder.status()) return builder.status().error();
  return plan;
}

uint64_t BulkPlan::tile_count(uint64_t items) const {
  // The first tile may begin with slots of a word that have no item.
  const uint64_t head = item_bytes < 4 ? 4 / item_bytes - 1 : 0;
  const uint64_t slots = items > ~uint64_t{0} - head ? items : items + head;
  return divided_up(slots, tile_items);
}

VkDeviceSize BulkPlan::scratch_size(uint64_t max_items) const {
  // No call takes more.
  return (std::min(tile_count(max_items), kBulkMaxTiles) + 1) * sizeof(uint64_t);
}

void BulkPlan::check_items(RecordCall& call, const char* argument, uint64_t max_items) const {
  if (tile_count(max_items) >= kBulkMaxTiles)
    call.refuse(argument, "makes more items than 2^30 tiles hold: " + std::to_string(max_items));
}

void BulkPlan::record(RecordCall& call, const shader::BulkPush& push, uint64_t max_items) const {
  const uint64_t all = tile_count(max_items);
  call.dispatch(*partition, push, all / workgroup + 1);
  if (max_items == 0) return;
  call.barrier();
  call.dispatch(*tiles, push, all);
}

}  // namespace weft::primitives
