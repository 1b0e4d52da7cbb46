// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/adjacent_difference.hpp>

#include "support/bench_case.hpp"
#include "support/scan_works.hpp"

namespace weft::bench {
namespace {

const Rows adjacent_difference_rows("adjacent_difference", 12, [](const Matrix& matrix, Cases& cases) {
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> AdjacentDifferenceArgs {
    return {buffers.inputs[0], buffers.outputs[0], n};
  };
  for (const Type item : {Type::u32, Type::u8, Type::u16, Type::u64, Type::f16, Type::f32, Type::f64}) {
    if (item != Type::u32 && matrix.essential) return;
    cases.add<AdjacentDifference>(adjacent_difference_work(item), {{Neighbour::left, item}, arguments},
                                  item == Type::u32 ? matrix.sizes : some_sizes(matrix));
  }
});

}  // namespace
}  // namespace weft::bench
