// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce.hpp>

#include "support/bench_case.hpp"
#include "support/scan_works.hpp"

namespace weft::bench {
namespace {

const Rows reduce_rows("reduce", 11, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](Op op, Type item, Type accumulator, const Sizes& sizes) {
    const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> ReduceArgs {
      return {buffers.inputs[0], buffers.outputs[0], buffers.scratch, n, std::nullopt};
    };
    cases.add<Reduce>(reduce_work(op, item, accumulator), {{op, item, accumulator}, arguments}, sizes);
  };
  const Sizes some = some_sizes(matrix);
  add(Op::add, Type::u32, Type::u32, matrix.sizes);
  if (matrix.essential) return;
  add(Op::add, Type::u8, Type::u32, matrix.sizes);
  add(Op::add, Type::f32, Type::f32, some);
  add(Op::add, Type::u64, Type::u64, some);
  add(Op::max, Type::u32, Type::u32, some);
  add(Op::arg_min, Type::u32, Type::u32, some);
});

}  // namespace
}  // namespace weft::bench
