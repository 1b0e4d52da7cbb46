// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include <weft/load_balance_search.hpp>

#include "primitives/core/arguments.hpp"
#include "primitives/interval/interval_tuning.hpp"
#include "runtime/context_state.hpp"

namespace weft::primitives {

/// What primitives build and record alike that spread intervals of outputs over workgroups (shaders/interval/interval_tiles.glsl).
struct IntervalPlan {
  struct Wish {
    const char* name;              ///< of the primitive, for errors
    const PackedKernels* kernels;  ///< the family of the last pass, and of the first if it is not interval_sums
    const char* kernel;            ///< of the last pass
    const runtime::TuningTable<IntervalTuning>& tuning;
    uint32_t item_bytes;  ///< of outputs
    Type count;           ///< of a count or an offset: u32 or u64
    IntervalsBy by = IntervalsBy::counts;
    std::span<const uint32_t> constants{};  ///< of the last pass, from id 9 on
    const char* counts_name = "counts";     ///< of counts, for errors
    /// Of the first pass; another than this one has the last one's constants too.
    const char* sums_kernel = "interval_sums";
    const KernelSet* own = nullptr;  ///< what has the last pass, in place of the manifest
    bool reports_interval = false;   ///< the status has a second word: the index of an interval
    bool is_direct = true;           ///< whether one pass may do all of a call with few offsets
  };

  std::shared_ptr<const runtime::ContextState> state;
  const char* name = "";
  const char* counts_name = "";
  bool reports_interval = false;
  IntervalsBy by = IntervalsBy::counts;
  uint32_t count_bytes = 0;
  uint32_t groups = 0;
  uint32_t tile_intervals = 0;
  uint32_t segment_outputs = 0;
  uint32_t direct_intervals = 0;  ///< so many at most take one pass
  uint32_t single_tiles = 0;      ///< so many at most are summed by one workgroup
  std::shared_ptr<const runtime::Pipeline> sums, totals, last, direct;
  std::shared_ptr<const IntervalPlan> of_short;  ///< where calls whose intervals are short have other tiles

  static Result<IntervalPlan> create(const Context& context, const Wish& wish);

  /// Which plan a call is recorded by; scratch does for either.
  const IntervalPlan& of_call(uint64_t max_count, uint64_t max_output) const {
    const bool is_short = !is_direct(max_count) && max_output / kShortOutputs < max_count;
    return of_short != nullptr && is_short ? *of_short : *this;
  }

  bool is_direct(uint64_t max_count) const { return direct != nullptr && max_count <= direct_intervals; }

  uint64_t tiles(uint64_t count) const { return count / tile_intervals + (count % tile_intervals != 0 ? 1 : 0); }
  VkDeviceSize scratch_size(uint64_t max_count) const;

  /// Refuses more than what dispatches can be made for.
  Status check_sizes(uint64_t max_count, uint64_t max_output) const;
  VkDeviceAddress locate_counts(RangeChecks& ranges, const BufferRange& counts, uint64_t max_count) const;

  /// The other members of a push that all have alike, once the primitive's own ranges are located.
  struct Outputs {
    const BufferRange &total, &status, &scratch;
  };
  template <class Push>
  void locate_rest(RangeChecks& ranges, Push& push, const Outputs& outputs, const Count& count,
                   uint64_t max_output) const {
    const uint64_t maximum = count.maximum();
    push.total = ranges.write("total", outputs.total, 8, 4);
    push.status = ranges.write("status", outputs.status, reports_interval ? 8 : 4, 4);
    push.before = ranges.scratch(outputs.scratch, scratch_size(maximum));
    push.count = ranges.count(count);
    push.count_value = maximum;
    push.max_output = max_output;
    push.count_words = static_cast<uint32_t>(count.range().size / 4);
    const Spans cut = spans(maximum);
    push.span_shift = cut.shift;
    push.spans = cut.number;
  }

  template <class Push>
  void record(VkCommandBuffer commands, const Push& push) const {
    record(commands, push, push.max_output);
  }
  /// `outputs`: that the kernels cut into segments, at most.
  template <class Push>
  void record(VkCommandBuffer commands, const Push& push, uint64_t outputs) const {
    const uint32_t max_groups = state->traits().max_workgroup_count_x;
    if (is_direct(push.count_value)) {
      // As kEndUnits in interval_segment.glsl; in front of the segments a workgroup tells of all.
      const uint64_t units = outputs + push.count_value * std::max(1u, segment_outputs / tile_intervals);
      const bool is_empty = push.max_output == 0 || push.count_value == 0;
      const uint64_t segments = is_empty ? 0 : (units + segment_outputs - 1) / segment_outputs;
      dispatch(*state, commands, *direct, push, dispatch_size(1 + segments, max_groups));
      return;
    }
    if (push.spans != 0) dispatch(*state, commands, *sums, push, {push.spans, 1});
    if (push.spans > 1) barrier_between(*state, commands);
    // The sums of one span are those of all.
    if (push.spans != 1) dispatch(*state, commands, *totals, push, {1, 1});
    if (push.spans == 0 || push.max_output == 0) return;
    // In front of each extra segment lies a full one.
    const uint64_t segments = tiles(push.count_value) + outputs / segment_outputs;
    barrier_between(*state, commands);
    dispatch(*state, commands, *last, push, dispatch_size(segments, max_groups));
  }

 private:
  static constexpr uint64_t kShortOutputs = 8;  // of an interval that is short, on average
  static constexpr uint64_t kMaxTiles = uint64_t{1} << 30;
  static constexpr uint64_t kBeforeBytes = 16;

  static Result<IntervalPlan> create(const Context& context, const Wish& wish, const IntervalTuning& tuning);

  /// Tiles that one workgroup sums: 2^shift.
  struct Spans {
    uint32_t shift, number;
  };
  Spans spans(uint64_t max_count) const;
};

}  // namespace weft::primitives
