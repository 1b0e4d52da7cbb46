// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>
#include <weft/scan.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

/// What IntervalExpand by counts does: a scan of the counts to offsets, which are the further output, then expansion.
std::vector<Cases> expand_chain_stages(const Work& work, const Spread& spread) {
  const auto number_in = [](const CaseBuffers& buffers, uint64_t n) {
    return intervals_in(buffers.inputs[0], n, buffers.outputs[0]);
  };
  const auto scan = [=](const CaseBuffers& buffers, uint64_t n) -> ScanArgs {
    return {buffers.inputs[0], buffers.outputs[3], buffers.scratch, number_in(buffers, n) + 1, {}};
  };
  const auto expand = [=](const CaseBuffers& buffers, uint64_t n) {
    IntervalExpandArgs args{};
    args.values = buffers.inputs[1];
    args.counts = buffers.outputs[3];
    args.output = buffers.outputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = number_in(buffers, n);
    args.max_output = n;
    return args;
  };
  std::vector<Cases> stages(2);
  stages[0].add<Scan>(
      work, {{}, scan, [=](const Scan& call, uint64_t n) { return call.scratch_size(spread.number(n) + 1); }}, {});
  stages[1].add<IntervalExpand>(
      work,
      {{IntervalsBy::offsets, Type::u32, 4},
       expand,
       [=](const IntervalExpand& call, uint64_t n) { return call.scratch_size(spread.number(n)); }},
      {});
  return stages;
}

// From values and offsets to each interval filled with its value.
const Rows interval_expand_rows("interval_expand", 32, [](const Matrix& matrix, Cases& cases) {
  const auto complete = [](IntervalExpandArgs& args, const CaseBuffers& buffers) {
    args.values = buffers.inputs[1];
    args.output = buffers.outputs[0];
  };
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) {
    add_intervals<IntervalExpand>(cases, "interval_expand", spread, true, {IntervalsBy::offsets, Type::u32, 4},
                                  complete, sizes);
  });
  if (matrix.essential) return;
  for (const Spread& spread : chain_spreads()) {
    add_intervals<IntervalExpand>(cases, "interval_expand", spread, true, {IntervalsBy::counts, Type::u32, 4}, complete,
                                  matrix.sizes);
    const Work chain = interval_work("interval_expand", spread, true, IntervalsBy::counts);
    cases.add_case<SeparateCalls>(chain, matrix.sizes, expand_chain_stages(chain, spread),
                                  [=](uint64_t n) { return 4 * (spread.number(n) + 1); });
  }
});

}  // namespace
}  // namespace weft::bench
