// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "support/bench_case.hpp"

namespace weft::bench {

/// u32 values by u32 keys, which come in runs.
template <class Case, class Primitive>
class KeyedCase : public CaseOf<Case, Primitive> {
  using Base = CaseOf<Case, Primitive>;

 public:
  KeyedCase(const char* primitive, const char* operation, const typename Base::Config& config, const Matrix& matrix,
            const RunData& runs, const Sizes& sizes, std::optional<Strategy> forced)
      : Base(primitive, operation + runs.name, Type::u32, config, sizes, forced),
        runs_(runs),
        run_share_(matrix.source->run_share(runs.data, sizeof(uint32_t))) {}

  std::string data() const override { return runs_.row_data(); }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.array(runs_.data, sizeof(uint32_t), n), source.items(Type::u32, n)};
  }

 protected:
  uint64_t runs_of(uint64_t n) const { return share_of(run_share_, n); }

 private:
  RunData runs_;
  double run_share_;
};

template <class Case>
void add_keyed(const Matrix& matrix, Cases& cases) {
  const auto add = [&](const RunData& runs, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    cases.add<Case>(matrix, runs, sizes, forced);
  };
  add(RunData::of(8), matrix.sizes);
  if (matrix.essential) return;
  if (matrix.other_strategy) add(RunData::of(8), matrix.sizes, matrix.other_strategy);
  for (const uint32_t mean : {1u, 100u}) add(RunData::of(mean), some_sizes(matrix));
  add(RunData::of(*matrix.source), some_sizes(matrix));
}

}  // namespace weft::bench
