// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include <weft/load_balance_search.hpp>

#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "primitives/interval/interval_tuning.hpp"
#include "runtime/context_state.hpp"

namespace weft::primitives {

/// What primitives build and record that spread intervals of outputs over workgroups
/// (shaders/interval/interval_tiles.glsl).
struct IntervalPlan {
  struct Desc {
    const char* name;  // of the primitive, for errors
    PipelineBuilder
        builder;         // with the last pass' kernels, and values of constants that it has beside those of interval.h
    const char* kernel;  // of the last pass
    const runtime::TuningTable<IntervalTuning>& tuning;
    uint32_t item_bytes;  // of outputs
    Type count;           // of a count or an offset: u32 or u64
    IntervalsBy by = IntervalsBy::counts;
    const char* counts_name = "counts";  // of counts, for errors
    const char* sums_kernel = nullptr;   // of the first pass, among the last one's; null: interval_sums
    bool is_own = false;                 // the last pass is the caller's
    bool reports_interval = false;       // the status has a second word: the index of an interval
    bool is_direct = true;               // whether one pass may do all of a call with few intervals
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

  static Result<IntervalPlan> create(const Context& context, const Desc& desc);

  /// Which plan a call is recorded by; scratch does for either.
  const IntervalPlan& of_call(uint64_t max_count, uint64_t max_output) const {
    if (of_short == nullptr || is_direct(max_count, max_output)) return *this;
    // So many outputs an interval leave room in a segment for those of a tile. Of as many as a segment has, every other
    // tile would have an extra one, for few.
    const uint64_t outputs = std::max(1u, 3 * of_short->segment_outputs / (4 * of_short->tile_intervals));
    return max_output / outputs < max_count ? *of_short : *this;
  }

  /// By counts, which all workgroups sum, only if these are about as many as would sum a part each.
  bool is_direct(uint64_t max_count, uint64_t max_output) const {
    return direct != nullptr && max_count <= direct_intervals &&
           (by == IntervalsBy::offsets || max_output / segment_outputs <= groups);
  }

  uint64_t tiles(uint64_t count) const { return divided_up(count, tile_intervals); }
  VkDeviceSize scratch_size(uint64_t max_count) const;

  /// Refuses more than what dispatches can be made for.
  void check_sizes(RecordCall& call, uint64_t max_count, uint64_t max_output) const;
  void read_counts(RecordCall& call, const BufferRange& counts, uint64_t max_count, uint64_t& address) const;

  /// Arguments that all have, after the primitive's own ranges.
  struct Outputs {
    const BufferRange &total, &status, &scratch;
  };
  template <class Push>
  void add_rest(RecordCall& call, Push& push, const Outputs& outputs, const Count& count, uint64_t max_output) const {
    call.write("total", outputs.total, 8, 4, push.total)
        .write("status", outputs.status, reports_interval ? 8 : 4, 4, push.status)
        .scratch(outputs.scratch, scratch_size(count.maximum()), push.before)
        .count("count", count, push.count, push.count_value, push.count_words);
    push.max_output = max_output;
    const Spans cut = spans(count.maximum());
    push.span_shift = cut.shift;
    push.spans = cut.number;
  }

  template <class Push>
  void record(const RecordCall& call, const Push& push) const {
    record(call, push, push.max_output);
  }
  /// `outputs`: upper bound on outputs that the kernels cut into segments.
  template <class Push>
  void record(const RecordCall& call, const Push& push, uint64_t outputs) const {
    if (is_direct(push.count_value, outputs)) {
      // By offsets as kEndUnits in interval_segment.glsl; the first workgroup reports for all.
      const uint64_t units = outputs + push.count_value * std::max(1u, segment_outputs / tile_intervals);
      const bool is_empty = push.max_output == 0 || push.count_value == 0;
      const uint64_t segments = is_empty ? 0 : divided_up(units, segment_outputs);
      const uint64_t by_tiles = tiles(push.count_value) + outputs / segment_outputs;
      call.dispatch(*direct, push, by == IntervalsBy::offsets ? 1 + segments : std::max<uint64_t>(1, by_tiles));
      return;
    }
    if (push.spans != 0) call.dispatch(*sums, push, push.spans);
    if (push.spans > 1) call.barrier();
    // The sums of one span are those of all.
    if (push.spans != 1) call.dispatch(*totals, push, 1);
    if (push.spans == 0 || push.max_output == 0) return;
    // Before each extra segment lies a full one.
    call.barrier();
    call.dispatch(*last, push, tiles(push.count_value) + outputs / segment_outputs);
  }

 private:
  static constexpr uint64_t kMaxTiles = uint64_t{1} << 30;
  static constexpr uint64_t kBeforeBytes = 16;

  static Result<IntervalPlan> create(const Context& context, const Desc& desc, const IntervalTuning& tuning);

  /// Tiles that one workgroup sums: 2^shift.
  struct Spans {
    uint32_t shift, number;
  };
  Spans spans(uint64_t max_count) const;
};

}  // namespace weft::primitives
