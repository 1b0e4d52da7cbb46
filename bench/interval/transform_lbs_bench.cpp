// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/transform_lbs.hpp>

#include "support/interval_case.hpp"
#include "weft_kernels/repeat_value.hpp"

namespace weft::bench {
namespace {

/// What interval_expand does, by a body of the user's own.
class TransformLbsCase : public IntervalCase<TransformLbsCase, TransformLbs, true> {
 public:
  TransformLbsCase(const Spread& spread, const Sizes& sizes)
      : IntervalCase("transform_lbs", spread, {IntervalsBy::offsets, Type::u32, own::repeat_value()}, sizes) {}

 private:
  void complete(TransformLbsArgs& args, const CaseBuffers& buffers) const override {
    args.buffers = {buffers.inputs[1], buffers.outputs[0]};
  }
};

const Rows transform_lbs_rows("transform_lbs", 34, [](const Matrix& matrix, Cases& cases) {
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) {
    if (spread.kind == Spread::Kind::uniform) cases.add<TransformLbsCase>(spread, sizes);
  });
});

}  // namespace
}  // namespace weft::bench
