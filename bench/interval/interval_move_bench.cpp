// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_move.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

const Rows interval_move_rows("interval_move", 33, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](const char* primitive, const Spread& spread, bool scatter, Type type, const Sizes& sizes) {
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      IntervalMoveArgs args;
      args.counts = buffers.inputs[0];
      args.gather = buffers.inputs[1];
      args.input = buffers.inputs[2];
      if (scatter) args.scatter = buffers.inputs[3];
      args.output = buffers.outputs[0];
      args.total = buffers.outputs[1];
      args.status = buffers.outputs[2];
      args.scratch = buffers.scratch;
      args.count = part_of(args.gather.size / sizeof(uint32_t), n, args.output.size / size_of(type));
      args.max_output = n;
      return args;
    };
    const auto scratch = [=](const IntervalMove& call, uint64_t n) { return call.scratch_size(spread.number(n)); };
    const auto by = type == Type::u8 ? IntervalsBy::counts : IntervalsBy::offsets;
    cases.add<IntervalMove>(interval_move_work(primitive, spread, scatter, type),
                            {{.by = by, .item_bytes = size_of(type), .scatter = scatter}, arguments, scratch}, sizes);
  };
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) {
    add("interval_gather", spread, false, Type::u32, sizes);
    if (spread.kind == Spread::Kind::uniform) add("interval_move", spread, true, Type::u32, sizes);
  });
  for (const Spread& buffers : batched_copy_spreads(matrix.essential))
    add("batched_copy", buffers, true, Type::u8, buffers.mean == 1024 ? matrix.sizes : some_sizes(matrix));
});

}  // namespace
}  // namespace weft::bench
