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

/// From offsets to an u32 for each output: its first input is the offsets, and its outputs are those, the total and the status.
class IntervalCase : public BenchCase {
 public:
  IntervalCase(std::string primitive, const Spread& spread, std::vector<uint64_t> sizes)
      : BenchCase(std::move(primitive), spread.name(), Type::u32, std::move(sizes)), spread_(spread) {}

  void release() override { counts_ = {}; }
  std::string data() const override { return "intervals"; }
  std::vector<HostArray> inputs(ItemSource&, uint64_t n) const override { return {counts(n).offsets_array()}; }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * sizeof(uint32_t), 8, 4}; }

 protected:
  uint64_t intervals(uint64_t n) const { return IntervalCounts::number(spread_, n); }
  /// Of fewer outputs than the buffers are for, a part of the intervals.
  uint64_t intervals_of(const CaseBuffers& buffers, uint64_t n) const {
    const uint64_t all = buffers.outputs[0].size / sizeof(uint32_t);
    const uint64_t number = buffers.inputs[0].size / sizeof(uint32_t) - 1;
    const double share = static_cast<double>(n) / static_cast<double>(std::max<uint64_t>(all, 1));
    return n == all ? number : static_cast<uint64_t>(static_cast<double>(number) * share);
  }
  /// Kept until it is asked for another n.
  const IntervalCounts& counts(uint64_t n) const {
    if (counts_.id() != IntervalCounts::id_of(spread_, n)) counts_ = IntervalCounts(spread_, n);
    return counts_;
  }
  /// Of outputs that are all value(interval).
  template <class Value>
  Verdict verify_intervals(Gpu& gpu, const CaseBuffers& buffers, uint64_t n, const char* what,
                           const Value& value) const {
    const auto total = read_count(gpu, buffers.outputs[1]);
    if (!total) return total.error();
    OutputReader reader(gpu, buffers.outputs[0], sizeof(uint32_t), buffers.sampled);
    return oracle::first_bad(oracle::same_count(n, *total), oracle::check_segment_values<uint32_t>(
                                                                what, counts(n).offsets(), value, reader.fetcher()));
  }

 private:
  Spread spread_;
  mutable IntervalCounts counts_;
};

/// The rows of a primitive on intervals: uniform ones of several means, and skewed ones. add(spread, sizes).
template <class Add>
void add_spreads(const Matrix& matrix, const Add& add) {
  const auto some = some_sizes(matrix);
  add(Spread{Spread::Kind::uniform, 25}, matrix.sizes);
  if (matrix.essential) return;
  for (const uint32_t mean : {5u, 1000u, 5000u}) add(Spread{Spread::Kind::uniform, mean}, some);
  for (const Spread::Kind kind : {Spread::Kind::half, Spread::Kind::zipf, Spread::Kind::sparse})
    add(Spread{kind, 25}, some);
}

}  // namespace weft::bench
