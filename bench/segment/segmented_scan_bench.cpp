// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_scan.hpp>

#include "support/segmented_case.hpp"

namespace weft::bench {
namespace {

/// Inclusive sums of u32.
class SegmentedScanCase : public SegmentedCase<SegmentedScanCase, SegmentedScan> {
 public:
  SegmentedScanCase(const Spread& spread, const Sizes& sizes, std::optional<Strategy> forced = {})
      : SegmentedCase("segmented_scan", "inclusive add ", spread, {.kind = ScanKind::inclusive}, sizes, forced) {}

  Sizes outputs(uint64_t n) const override { return {n * sizeof(uint32_t)}; }
  uint64_t moved_bytes(uint64_t n) const override { return (2 * n + segments(n)) * sizeof(uint32_t); }
  SegmentedScanArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.scratch, segments_of(buffers, n), n,
            std::nullopt};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    const auto arrays = inputs(source, n);
    return check_segmented_scan(items_of<uint32_t>(arrays[0].bytes), items_of<uint32_t>(arrays[1].bytes),
                                found.fetch(0, sizeof(uint32_t)));
  }
};

const Rows segmented_scan_rows("segmented_scan", 43, [](const Matrix& matrix, Cases& cases) {
  add_interval_cases<SegmentedScanCase>(matrix, cases);
  if (!matrix.essential && matrix.other_strategy)
    cases.add<SegmentedScanCase>(Spread{Spread::Kind::uniform, 25}, matrix.sizes, matrix.other_strategy);
});

}  // namespace
}  // namespace weft::bench
