// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "support/interval_case.hpp"

namespace weft::bench {

/// u32 items in segments described by u32 offsets: the inputs are those two.
template <class Case, class Primitive>
class SegmentedCase : public CaseOf<Case, Primitive> {
  using Base = CaseOf<Case, Primitive>;

 public:
  SegmentedCase(const char* primitive, const char* operation, const Spread& spread, const typename Base::Config& config,
                const Sizes& sizes, std::optional<Strategy> forced = {})
      : Base(primitive, operation + spread.name(), Type::u32, config, sizes, forced), spread_(spread) {}

  std::string data() const override { return "intervals"; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.items(Type::u32, n), source.cached<IntervalCounts>(spread_, n).offsets_array()};
  }

 protected:
  uint64_t segments(uint64_t n) const { return IntervalCounts::number(spread_, n); }
  /// Of fewer items than the buffers are for, a part of the segments; the last may end after the items.
  static uint64_t segments_of(const CaseBuffers& buffers, uint64_t n) {
    return part_of(buffers.inputs[1].size / sizeof(uint32_t) - 1, n, buffers.inputs[0].size / sizeof(uint32_t));
  }

 private:
  Spread spread_;
};

}  // namespace weft::bench
