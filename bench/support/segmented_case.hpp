// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/interval_counts.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {

/// u32 items in segments told by u32 offsets: the inputs are those two.
class SegmentedCase : public BenchCase {
 public:
  SegmentedCase(std::string primitive, const std::string& operation, const Spread& spread, const std::string& suffix,
                std::vector<uint64_t> sizes)
      : BenchCase(std::move(primitive), operation + ' ' + spread.name() + suffix, Type::u32, std::move(sizes)),
        spread_(spread) {}

  void release() override { counts_ = {}; }
  std::string data() const override { return "intervals"; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.items(Type::u32, n), counts(n).offsets_array()};
  }

 protected:
  const Spread& spread() const { return spread_; }
  uint64_t segments(uint64_t n) const { return IntervalCounts::number(spread_, n); }
  /// Of fewer items than the buffers are for, a part of the segments; the last may end behind the items.
  uint64_t segments_of(const CaseBuffers& buffers, uint64_t n) const {
    const uint64_t all = buffers.inputs[0].size / sizeof(uint32_t);
    const uint64_t number = buffers.inputs[1].size / sizeof(uint32_t) - 1;
    const double share = static_cast<double>(n) / static_cast<double>(std::max<uint64_t>(all, 1));
    return n == all ? number : static_cast<uint64_t>(static_cast<double>(number) * share);
  }
  /// Kept until it is asked for another n.
  const IntervalCounts& counts(uint64_t n) const {
    if (counts_.id() != IntervalCounts::id_of(spread_, n)) counts_ = IntervalCounts(spread_, n);
    return counts_;
  }

 private:
  Spread spread_;
  mutable IntervalCounts counts_;
};

}  // namespace weft::bench
