// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/adjacent_difference.hpp>

#include "support/bench_case.hpp"
#include "support/oracle.hpp"

namespace weft::bench {
namespace {

class AdjacentDifferenceCase : public CaseOf<AdjacentDifferenceCase, AdjacentDifference> {
 public:
  using CaseOf::CaseOf;

  Sizes outputs(uint64_t n) const override { return {n * item_bytes()}; }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * item_bytes(); }
  AdjacentDifferenceArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {buffers.inputs[0], buffers.outputs[0], n};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return check_adjacent_difference(config().item, inputs(source, n)[0].bytes, found.fetch(0, item_bytes()));
  }
};

const Rows adjacent_difference_rows("adjacent_difference", 12, [](const Matrix& matrix, Cases& cases) {
  for (const Type item : {Type::u32, Type::u8, Type::u16, Type::u64, Type::f16, Type::f32, Type::f64}) {
    if (item != Type::u32 && matrix.essential) return;
    cases.add<AdjacentDifferenceCase>("adjacent_difference", "left", item,
                                      AdjacentDifferenceConfig{Neighbour::left, item},
                                      sizes_for(item == Type::u32 ? matrix.sizes : some_sizes(matrix), size_of(item)));
  }
});

}  // namespace
}  // namespace weft::bench
