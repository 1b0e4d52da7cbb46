// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/interval/interval_plan.hpp"

#include <bit>

#include "interval/interval.h"
#include "runtime/kernel_families.hpp"
#include "weft/tile.h"

namespace weft {

const char* name_of(IntervalsBy by) noexcept {
  switch (by) {
    case IntervalsBy::counts: return "counts";
    case IntervalsBy::offsets: return "offsets";
  }
  return "?";
}

namespace primitives {
namespace {

constexpr uint32_t kMaxSegment = 1 << 14;       // 16 KiB of shared memory hold what belongs to a segment
constexpr uint32_t kMaxSegmentBytes = 1 << 16;  // so that no workgroup takes long

}  // namespace

Result<IntervalPlan> IntervalPlan::create(const Context& context, const Desc& desc) {
  const runtime::ContextState& state = *context.state();
  if (desc.count != Type::u32 && desc.count != Type::u64)
    return Error{ErrorCode::unsupported,
                 std::string(desc.name) + ": " + desc.counts_name + " are u32 or u64, not " + name_of(desc.count)};
  IntervalTuning tuning = desc.tuning.of(state);
  Result<IntervalPlan> plan = create(context, desc, tuning);
  // The caller's kernel is compiled once.
  if (!plan || desc.is_own || tuning.short_vectors == tuning.vectors) return plan;
  tuning.vectors = tuning.short_vectors;
  tuning.direct_intervals = tuning.direct_tiles = 0;
  Result<IntervalPlan> of_short = create(context, desc, tuning);
  if (!of_short) return of_short.error();
  plan->of_short = std::make_shared<const IntervalPlan>(std::move(*of_short));
  return plan;
}

Result<IntervalPlan> IntervalPlan::create(const Context& context, const Desc& desc, const IntervalTuning& tuning) {
  const runtime::ContextState& state = *context.state();
  IntervalPlan plan;
  plan.state = context.state();
  plan.name = desc.name;
  plan.counts_name = desc.counts_name;
  plan.reports_interval = desc.reports_interval;
  plan.by = desc.by;
  plan.count_bytes = size_of(desc.count);
  plan.groups = tuning.groups;
  // Kernels shift where they would divide by the tiles' sizes.
  const uint32_t workgroup = std::bit_floor(std::min(tuning.workgroup, state.traits().max_workgroup_invocations));
  const uint32_t row_items = workgroup * std::max(1u, 16 / desc.item_bytes);
  uint32_t rows = std::bit_floor(tuning.rows);
  while (rows > 1 &&
         (rows * row_items > kMaxSegment || uint64_t{rows} * row_items * desc.item_bytes > kMaxSegmentBytes))
    rows /= 2;
  plan.tile_intervals = workgroup * tuning.vectors * 4;
  plan.segment_outputs = rows * row_items;
  plan.direct_intervals =
      desc.by == IntervalsBy::offsets ? tuning.direct_intervals : tuning.direct_tiles * plan.tile_intervals;
  plan.single_tiles = tuning.single_tiles;

  const auto set = [&](PipelineBuilder& builder) {
    builder.workgroup(workgroup)
        .set(shader::interval::kItemBytes, desc.item_bytes)
        .set(shader::tile::kRows, rows)
        .set(shader::interval::kCountWords, plan.count_bytes / 4)
        .set(shader::interval::kIntervalVectors, tuning.vectors)
        .set(shader::interval::kByOffsets, desc.by == IntervalsBy::offsets)
        .set(shader::interval::kIsDirect, false)
        .set(shader::interval::kReportsInterval, desc.reports_interval);
  };
  PipelineBuilder shared(state, runtime::kernels::intervals(), workgroup), builder = desc.builder;
  set(shared);
  set(builder);
  shared.build(plan.totals, "interval_totals");
  if (desc.sums_kernel == nullptr)
    shared.build(plan.sums, "interval_sums");
  else
    builder.build(plan.sums, desc.sums_kernel);
  builder.build(plan.last, desc.kernel);
  // The caller's kernel is compiled once.
  if (desc.is_direct && !desc.is_own && plan.direct_intervals != 0 &&
      (desc.by == IntervalsBy::offsets || !desc.reports_interval))
    builder.set(shader::interval::kIsDirect, true).build(plan.direct, desc.kernel);
  for (const PipelineBuilder* built : {&shared, &builder})
    if (!built->status()) return built->status().error();
  return plan;
}

IntervalPlan::Spans IntervalPlan::spans(uint64_t max_count) const {
  const uint64_t all = tiles(max_count);
  if (all != 0 && all <= single_tiles) return {static_cast<uint32_t>(std::bit_width(all - 1)), 1};
  const uint64_t tiles_per_span = std::bit_ceil(std::max<uint64_t>(1, divided_up(all, groups)));
  return {static_cast<uint32_t>(std::countr_zero(tiles_per_span)),
          static_cast<uint32_t>(divided_up(all, tiles_per_span))};
}

VkDeviceSize IntervalPlan::scratch_size(uint64_t max_count) const {
  const uint64_t all = std::min(tiles(max_count), kMaxTiles);
  const VkDeviceSize own = (std::min<uint64_t>(all, groups) + 1 + all) * kBeforeBytes;
  return of_short == nullptr ? own : std::max(own, of_short->scratch_size(max_count));
}

void IntervalPlan::check_sizes(RecordCall& call, uint64_t max_count, uint64_t max_output) const {
  if (tiles(max_count) >= kMaxTiles) call.refuse("count", "is more than 2^30 tiles hold: " + std::to_string(max_count));
  if (max_output / segment_outputs >= kMaxTiles)
    call.refuse("max_output", "is more than 2^30 tiles hold: " + std::to_string(max_output));
}

void IntervalPlan::read_counts(RecordCall& call, const BufferRange& counts, uint64_t max_count,
                               uint64_t& address) const {
  const uint64_t number = max_count == 0 ? 0 : max_count + (by == IntervalsBy::offsets ? 1 : 0);
  call.read(counts_name, counts, number * count_bytes, 4, address);
}

}  // namespace primitives
}  // namespace weft
