// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

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
});

}  // namespace
}  // namespace weft::bench
