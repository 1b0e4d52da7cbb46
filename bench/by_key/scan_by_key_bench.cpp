// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan_by_key.hpp>

#include "support/bench_case.hpp"
#include "support/by_key_works.hpp"

namespace weft::bench {
namespace {

const Rows scan_by_key_rows("scan_by_key", 40, [](const Matrix& matrix, Cases& cases) {
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> ScanByKeyArgs {
    return {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.scratch, n, std::nullopt};
  };
  add_keyed(matrix, [&](const RunData& runs, const Sizes& sizes, std::optional<Strategy> forced) {
    cases.add<ScanByKey>(scan_by_key_work(runs), {{.kind = ScanKind::inclusive}, arguments}, sizes, forced);
  });
});

}  // namespace
}  // namespace weft::bench
