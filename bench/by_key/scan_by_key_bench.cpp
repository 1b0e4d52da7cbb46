// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan_by_key.hpp>

#include "support/keyed_case.hpp"

namespace weft::bench {
namespace {

/// Inclusive sums of u32 by u32 keys.
class ScanByKeyCase : public KeyedCase<ScanByKeyCase, ScanByKey> {
 public:
  ScanByKeyCase(const Matrix& matrix, const RunData& runs, const Sizes& sizes, std::optional<Strategy> forced)
      : KeyedCase("scan_by_key", "inclusive add ", {.kind = ScanKind::inclusive}, matrix, runs, sizes, forced) {}

  Sizes outputs(uint64_t n) const override { return {n * sizeof(uint32_t)}; }
  uint64_t moved_bytes(uint64_t n) const override { return 3 * n * sizeof(uint32_t); }
  ScanByKeyArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.scratch, n, std::nullopt};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    const auto arrays = inputs(source, n);
    return check_scan_by_key(items_of<uint32_t>(arrays[0].bytes), items_of<uint32_t>(arrays[1].bytes),
                             found.fetch(0, sizeof(uint32_t)));
  }
};

const Rows scan_by_key_rows("scan_by_key", 40, add_keyed<ScanByKeyCase>);

}  // namespace
}  // namespace weft::bench
