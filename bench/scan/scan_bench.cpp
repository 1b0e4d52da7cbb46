// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan.hpp>

#include "support/bench_case.hpp"
#include "support/scan_works.hpp"

namespace weft::bench {
namespace {

const Rows scan_rows("scan", 10, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](ScanKind kind, Op op, Type item, Type accumulator, const Sizes& sizes,
                       std::optional<Strategy> forced = {}) {
    const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> ScanArgs {
      return {buffers.inputs[0], buffers.outputs[0], buffers.scratch, n, std::nullopt};
    };
    cases.add<Scan>(scan_work(kind, op, item, accumulator), {{kind, op, item, accumulator}, arguments}, sizes, forced);
  };
  const Sizes &sizes = matrix.sizes, some = some_sizes(matrix);
  constexpr auto kExclusive = ScanKind::exclusive, kInclusive = ScanKind::inclusive;

  add(kExclusive, Op::add, Type::u32, Type::u32, sizes);
  if (matrix.other_strategy) add(kExclusive, Op::add, Type::u32, Type::u32, sizes, matrix.other_strategy);
  if (!matrix.essential) add(kInclusive, Op::add, Type::u32, Type::u32, sizes);
  add(kInclusive, Op::add, Type::u8, Type::u8, sizes);
  add(kInclusive, Op::add, Type::u8, Type::u32, sizes);
  if (matrix.essential) return;
  for (const Type type : {Type::u16, Type::u64, Type::i32, Type::f16, Type::f32, Type::f64})
    add(kExclusive, Op::add, type, type, some);
  add(kExclusive, Op::min, Type::u32, Type::u32, some);
  add(kInclusive, Op::min, Type::u32, Type::u32, some);
  add(kExclusive, Op::bit_xor, Type::u32, Type::u32, some);
  add(kInclusive, Op::affine, Type::u32x2, Type::u32x2, some);
});

}  // namespace
}  // namespace weft::bench
