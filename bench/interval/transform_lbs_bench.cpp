// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/transform_lbs.hpp>

#include "support/interval_case.hpp"
#include "weft_kernels/repeat_value.hpp"

namespace weft::bench {
namespace {

// What interval_expand does, by a body of the user's own.
const Rows transform_lbs_rows("transform_lbs", 34, [](const Matrix& matrix, Cases& cases) {
  const auto complete = [](TransformLbsArgs& args, const CaseBuffers& buffers) {
    args.buffers = {buffers.inputs[1], buffers.outputs[0]};
  };
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) {
    if (spread.kind != Spread::Kind::uniform) return;
    add_intervals<TransformLbs>(cases, "transform_lbs", spread, true,
                                {IntervalsBy::offsets, Type::u32, own::repeat_value()}, complete, sizes);
  });
});

}  // namespace
}  // namespace weft::bench
