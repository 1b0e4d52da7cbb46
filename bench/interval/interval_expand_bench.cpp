// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

/// From values and offsets to each interval filled with its value.
class IntervalExpandCase : public IntervalCase<IntervalExpandCase, IntervalExpand, true> {
 public:
  IntervalExpandCase(const Spread& spread, const Sizes& sizes)
      : IntervalCase("interval_expand", spread, {IntervalsBy::offsets, Type::u32, sizeof(uint32_t)}, sizes) {}

 private:
  void complete(IntervalExpandArgs& args, const CaseBuffers& buffers) const override {
    args.values = buffers.inputs[1];
    args.output = buffers.outputs[0];
  }
};

const Rows interval_expand_rows("interval_expand", 32, add_interval_cases<IntervalExpandCase>);

}  // namespace
}  // namespace weft::bench
