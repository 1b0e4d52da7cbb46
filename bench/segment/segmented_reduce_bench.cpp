// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_reduce.hpp>

#include "support/segmented_case.hpp"

namespace weft::bench {
namespace {

/// Sums of u32.
class SegmentedReduceCase : public SegmentedCase<SegmentedReduceCase, SegmentedReduce> {
 public:
  SegmentedReduceCase(const Spread& spread, const Sizes& sizes)
      : SegmentedCase("segmented_reduce", "add ", spread, {}, sizes) {}

  Sizes outputs(uint64_t n) const override { return {segments(n) * sizeof(uint32_t)}; }
  uint64_t scratch_size(uint64_t n) const override { return call().scratch_size(segments(n), n); }
  uint64_t moved_bytes(uint64_t n) const override { return (n + 2 * segments(n)) * sizeof(uint32_t); }
  SegmentedReduceArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.scratch, segments_of(buffers, n), n};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    const auto arrays = inputs(source, n);
    return check_segmented_reduce(items_of<uint32_t>(arrays[0].bytes), items_of<uint32_t>(arrays[1].bytes),
                                  found.fetch(0, sizeof(uint32_t)));
  }
};

const Rows segmented_reduce_rows("segmented_reduce", 42, add_interval_cases<SegmentedReduceCase>);

}  // namespace
}  // namespace weft::bench
