// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_scan.hpp>

#include "support/interval_case.hpp"
#include "support/segment_works.hpp"

namespace weft::bench {
namespace {

const Rows segmented_scan_rows("segmented_scan", 43, [](const Matrix& matrix, Cases& cases) {
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> SegmentedScanArgs {
    return {buffers.inputs[0],
            buffers.inputs[1],
            buffers.outputs[0],
            buffers.scratch,
            intervals_in(buffers.inputs[1], n, buffers.inputs[0]),
            n,
            std::nullopt};
  };
  const auto add = [&](const Spread& spread, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    cases.add<SegmentedScan>(segmented_scan_work(spread), {{.kind = ScanKind::inclusive}, arguments}, sizes, forced);
  };
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) { add(spread, sizes); });
  if (!matrix.essential && matrix.other_strategy) add({Spread::Kind::uniform, 25}, matrix.sizes, matrix.other_strategy);
});

}  // namespace
}  // namespace weft::bench
