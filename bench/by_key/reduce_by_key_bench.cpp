// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce_by_key.hpp>

#include "support/keyed_case.hpp"

namespace weft::bench {
namespace {

/// Sums of u32 by u32 keys.
class ReduceByKeyCase : public KeyedCase<ReduceByKeyCase, ReduceByKey> {
 public:
  ReduceByKeyCase(const Matrix& matrix, const RunData& runs, const Sizes& sizes, std::optional<Strategy> forced)
      : KeyedCase("reduce_by_key", "add ", {}, matrix, runs, sizes, forced) {}

  Sizes outputs(uint64_t n) const override { return {n * sizeof(uint32_t), n * sizeof(uint32_t), sizeof(uint32_t)}; }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * (n + runs_of(n)) * sizeof(uint32_t); }
  ReduceByKeyArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {buffers.inputs[0],
            buffers.inputs[1],
            buffers.outputs[0],
            buffers.outputs[1],
            buffers.outputs[2],
            buffers.scratch,
            n};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    const auto arrays = inputs(source, n);
    return check_reduce_by_key(items_of<uint32_t>(arrays[0].bytes), items_of<uint32_t>(arrays[1].bytes),
                               found.fetch(0, sizeof(uint32_t)), found.fetch(1, sizeof(uint32_t)), found.count(2));
  }
};

const Rows reduce_by_key_rows("reduce_by_key", 41, add_keyed<ReduceByKeyCase>);

}  // namespace
}  // namespace weft::bench
