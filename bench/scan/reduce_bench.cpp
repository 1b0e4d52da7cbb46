// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce.hpp>

#include <array>

#include "support/bench_case.hpp"
#include "support/oracle.hpp"

namespace weft::bench {
namespace {

class ReduceCase : public CaseOf<ReduceCase, Reduce> {
 public:
  using CaseOf::CaseOf;

  Sizes outputs(uint64_t) const override {
    const bool arg = config().op == Op::arg_min || config().op == Op::arg_max;
    return {arg ? sizeof(ArgResult) : size_of(config().accumulator)};
  }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes(); }
  ReduceArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {buffers.inputs[0], buffers.outputs[0], buffers.scratch, n, std::nullopt};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return check_reduce(config().op, config().item, config().accumulator, inputs(source, n)[0].bytes,
                        found.read<std::array<std::byte, sizeof(ArgResult)>>(0));
  }
};

const Rows reduce_rows("reduce", 11, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](Op op, Type item, Type accumulator, const Sizes& sizes) {
    std::string variant = name_of(op);
    if (item != accumulator) variant += std::string(" to ") + name_of(accumulator);
    cases.add<ReduceCase>("reduce", std::move(variant), item, ReduceConfig{op, item, accumulator},
                          sizes_for(sizes, size_of(item)));
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
