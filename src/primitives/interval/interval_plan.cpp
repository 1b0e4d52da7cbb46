// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/interval/interval_plan.hpp"

#include "runtime/kernel_families.hpp"

#include <bit>
#include <vector>

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

using runtime::Pipeline;

constexpr uint32_t kMaxSegment = 1 << 14;       // 16 KiB of shared memory hold what belongs to a segment
constexpr uint32_t kMaxSegmentBytes = 1 << 16;  // so that no workgroup takes long
constexpr size_t kDirectConstant = 5;           // among the constants: kIsDirect

}  // namespace

Result<IntervalPlan> IntervalPlan::create(const Context& context, const Wish& wish) {
  const runtime::ContextState& state = *context.state();
  if (wish.count != Type::u32 && wish.count != Type::u64)
    return Error{ErrorCode::unsupported,
                 std::string(wish.name) + ": " + wish.counts_name + " are u32 or u64, not " + name_of(wish.count)};
  IntervalTuning tuning = wish.tuning.of(state);
  Result<IntervalPlan> plan = create(context, wish, tuning);
  // A body of the caller's own is compiled once.
  if (!plan || wish.own != nullptr || tuning.short_vectors == tuning.vectors) return plan;
  tuning.vectors = tuning.short_vectors;
  tuning.direct_intervals = 0;
  Result<IntervalPlan> of_short = create(context, wish, tuning);
  if (!of_short) return of_short.error();
  plan->of_short = std::make_shared<const IntervalPlan>(std::move(*of_short));
  return plan;
}

Result<IntervalPlan> IntervalPlan::create(const Context& context, const Wish& wish, const IntervalTuning& tuning) {
  const runtime::ContextState& state = *context.state();
  IntervalPlan plan;
  plan.state = context.state();
  plan.name = wish.name;
  plan.counts_name = wish.counts_name;
  plan.reports_interval = wish.reports_interval;
  plan.by = wish.by;
  plan.count_bytes = size_of(wish.count);
  plan.groups = tuning.groups;
  // Kernels shift where they would divide by the tiles' sizes.
  const uint32_t workgroup = std::bit_floor(std::min(tuning.workgroup, state.traits().max_workgroup_invocations));
  const uint32_t row_items = workgroup * std::max(1u, 16 / wish.item_bytes);
  uint32_t rows = std::bit_floor(tuning.rows);
  while (rows > 1 &&
         (rows * row_items > kMaxSegment || uint64_t{rows} * row_items * wish.item_bytes > kMaxSegmentBytes))
    rows /= 2;
  plan.tile_intervals = workgroup * tuning.vectors * 4;
  plan.segment_outputs = rows * row_items;
  plan.direct_intervals = tuning.direct_intervals;
  plan.single_tiles = tuning.single_tiles;

  // Ids from 2 on, as in interval_tiles.glsl.
  const std::vector<uint32_t> constants = {wish.item_bytes,
                                           rows,
                                           plan.count_bytes / 4,
                                           tuning.vectors,
                                           wish.by == IntervalsBy::offsets ? 1u : 0u,
                                           0u,
                                           wish.reports_interval ? 1u : 0u};
  Status status;
  std::vector<uint32_t> last_constants = constants;
  last_constants.insert(last_constants.end(), wish.constants.begin(), wish.constants.end());
  std::vector<uint32_t> direct_constants = last_constants;
  direct_constants[kDirectConstant] = 1;
  const std::string sums_kernel = wish.sums_kernel;
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const PackedKernels& kernels,
                         const std::string& kernel, const std::vector<uint32_t>& constants_of_kernel,
                         const KernelSet* own = nullptr) {
    if (!status) return;
    Result<std::shared_ptr<const Pipeline>> built =
        state.pipeline(kernels, kernel, workgroup, constants_of_kernel, own);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  const PackedKernels& shared = runtime::kernels::intervals();
  if (sums_kernel == "interval_sums")
    build(plan.sums, shared, sums_kernel, constants);
  else
    build(plan.sums, *wish.kernels, sums_kernel, last_constants);
  build(plan.totals, shared, "interval_totals", constants);
  build(plan.last, *wish.kernels, wish.kernel, last_constants, wish.own);
  // A body of the caller's own is compiled once.
  if (wish.is_direct && wish.own == nullptr && wish.by == IntervalsBy::offsets && tuning.direct_intervals != 0)
    build(plan.direct, *wish.kernels, wish.kernel, direct_constants);
  if (!status) return status.error();
  return plan;
}

IntervalPlan::Spans IntervalPlan::spans(uint64_t max_count) const {
  const uint64_t all = tiles(max_count);
  if (all != 0 && all <= single_tiles) return {static_cast<uint32_t>(std::bit_width(all - 1)), 1};
  const uint64_t tiles_per_span = std::bit_ceil(std::max<uint64_t>(1, (all + groups - 1) / groups));
  return {static_cast<uint32_t>(std::countr_zero(tiles_per_span)),
          static_cast<uint32_t>((all + tiles_per_span - 1) / tiles_per_span)};
}

VkDeviceSize IntervalPlan::scratch_size(uint64_t max_count) const {
  const uint64_t all = std::min(tiles(max_count), kMaxTiles);
  const VkDeviceSize own = (std::min<uint64_t>(all, groups) + 1 + all) * kBeforeBytes;
  return of_short == nullptr ? own : std::max(own, of_short->scratch_size(max_count));
}

Status IntervalPlan::check_sizes(uint64_t max_count, uint64_t max_output) const {
  if (tiles(max_count) >= kMaxTiles)
    return argument_error(name, "count", "is more than 2^30 tiles hold: " + std::to_string(max_count));
  if (max_output / segment_outputs >= kMaxTiles)
    return argument_error(name, "max_output", "is more than 2^30 tiles hold: " + std::to_string(max_output));
  return {};
}

VkDeviceAddress IntervalPlan::locate_counts(RangeChecks& ranges, const BufferRange& counts, uint64_t max_count) const {
  if (max_count == 0) return 0;
  return ranges.read(counts_name, counts, (max_count + (by == IntervalsBy::offsets ? 1 : 0)) * count_bytes, 4);
}

}  // namespace primitives
}  // namespace weft
