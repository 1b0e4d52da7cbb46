// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "support/bench_case.hpp"
#include "support/interval_counts.hpp"

namespace weft::bench {

/// From offsets to a u32 for each output: the interval's index, or its value. Inputs are the offsets, and the values;
/// outputs are those, the total and the status.
template <class Case, class Primitive, bool has_values>
class IntervalCase : public CaseOf<Case, Primitive> {
  using Base = CaseOf<Case, Primitive>;

 public:
  IntervalCase(const char* primitive, const Spread& spread, const typename Base::Config& config, const Sizes& sizes)
      : Base(primitive, spread.name(), Type::u32, config, sizes), spread_(spread) {}

  std::string data() const override { return "intervals"; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    std::vector<HostArray> arrays{source.cached<IntervalCounts>(spread_, n).offsets_array()};
    if (has_values) arrays.push_back(source.array(Data::noise(7), sizeof(uint32_t), intervals(n)));
    return arrays;
  }
  Sizes outputs(uint64_t n) const override { return {n * sizeof(uint32_t), 8, 4}; }
  uint64_t scratch_size(uint64_t n) const override { return this->call().scratch_size(intervals(n)); }
  uint64_t moved_bytes(uint64_t n) const override {
    return (n + (has_values ? 2 : 1) * intervals(n)) * sizeof(uint32_t);
  }
  typename Base::Args args(const CaseBuffers& buffers, uint64_t n) const override {
    typename Base::Args args;
    args.counts = buffers.inputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = part_of(buffers.inputs[0].size / sizeof(uint32_t) - 1, n, buffers.outputs[0].size / sizeof(uint32_t));
    args.max_output = n;
    complete(args, buffers);
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    const auto arrays = inputs(source, n);
    const auto value = [&](uint64_t s) {
      return has_values ? items_of<uint32_t>(arrays.back().bytes)[s] : static_cast<uint32_t>(s);
    };
    return oracle::first_bad(
        oracle::same_count(n, found.count(1)),
        oracle::check_segment_values<uint32_t>(has_values ? "value" : "source", items_of<uint32_t>(arrays[0].bytes),
                                               value, found.fetch(0, sizeof(uint32_t))));
  }

 private:
  /// Adds the values and the output.
  virtual void complete(typename Base::Args& args, const CaseBuffers& buffers) const = 0;
  uint64_t intervals(uint64_t n) const { return IntervalCounts::number(spread_, n); }

  Spread spread_;
};

/// The spreads of a primitive's rows on intervals: uniform ones of several means, and skewed ones. add(spread, sizes).
template <class Add>
void add_spreads(const Matrix& matrix, const Add& add) {
  const Sizes some = some_sizes(matrix);
  add(Spread{Spread::Kind::uniform, 25}, matrix.sizes);
  if (matrix.essential) return;
  for (const uint32_t mean : {5u, 1000u, 5000u}) add(Spread{Spread::Kind::uniform, mean}, some);
  for (const Spread::Kind kind : {Spread::Kind::half, Spread::Kind::zipf, Spread::Kind::sparse})
    add(Spread{kind, 25}, some);
}

template <class Case>
void add_interval_cases(const Matrix& matrix, Cases& cases) {
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) { cases.add<Case>(spread, sizes); });
}

}  // namespace weft::bench
