// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>
#include <weft/scan.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

void complete(IntervalExpandArgs& args, const CaseBuffers& buffers) {
  args.values = buffers.inputs[1];
  args.output = buffers.outputs[0];
}

/// What IntervalExpand by counts does: a scan of the counts to offsets, which are the further output, then expansion.
std::vector<Cases> expand_chain_stages(const Work& work, const Spread& spread) {
  const auto scan = [](const CaseBuffers& buffers, uint64_t n) -> ScanArgs {
    const uint64_t number = intervals_in(buffers.inputs[0], n, buffers.outputs[0]);
    return {buffers.inputs[0], buffers.outputs[3], buffers.scratch, number + 1, {}};
  };
  const auto scratch = [=](const Scan& call, uint64_t n) { return call.scratch_size(spread.number(n) + 1); };
  const auto by_offsets = [](IntervalExpandArgs& args, const CaseBuffers& buffers) {
    complete(args, buffers);
    args.counts = buffers.outputs[3];
  };
  std::vector<Cases> stages(2);
  stages[0].add<Scan>(work, {{}, scan, scratch}, {});
  stages[1].add<IntervalExpand>(
      work, intervals_call<IntervalExpand>(spread, {IntervalsBy::offsets, Type::u32, 4}, by_offsets), {});
  return stages;
}

// From values and offsets to each interval filled with its value.
const Rows interval_expand_rows("interval_expand", 32, [](const Matrix& matrix, Cases& cases) {
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
