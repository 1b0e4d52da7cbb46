// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/histogram.hpp>

#include "support/bench_case.hpp"
#include "support/histogram_works.hpp"

namespace weft::bench {
namespace {

const Rows histogram_rows("histogram", 50, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](uint32_t bins, Type item, const Sizes& sizes, uint32_t mean_run = 0) {
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      HistogramArgs args;
      args.input = buffers.inputs[0];
      args.output = buffers.outputs[0];
      args.count = n;
      args.upper = std::ldexp(1.0, static_cast<int>(8 * size_of(item)));
      return args;
    };
    cases.add<Histogram>(histogram_work(bins, item, mean_run), {{HistogramKind::even, item, bins}, arguments}, sizes);
  };
  const Sizes some = some_sizes(matrix);
  for (const Type item : {Type::u32, Type::u8}) add(256, item, matrix.sizes);
  if (matrix.essential) return;
  for (const Type item : {Type::u32, Type::u8}) add(256, item, some, 10000);
  add(256, Type::u16, some);
  for (const uint32_t bins : {100u, 4096u, 65536u}) add(bins, Type::u32, some);
});

}  // namespace
}  // namespace weft::bench
