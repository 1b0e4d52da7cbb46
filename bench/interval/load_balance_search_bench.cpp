// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/load_balance_search.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

/// From offsets to the source of each output.
class LoadBalanceSearchCase : public IntervalCase<LoadBalanceSearchCase, LoadBalanceSearch, false> {
 public:
  LoadBalanceSearchCase(const Spread& spread, const Sizes& sizes)
      : IntervalCase("load_balance_search", spread, {.by = IntervalsBy::offsets}, sizes) {}

 private:
  void complete(LoadBalanceSearchArgs& args, const CaseBuffers& buffers) const override {
    args.sources = buffers.outputs[0];
  }
};

const Rows load_balance_search_rows("load_balance_search", 31, add_interval_cases<LoadBalanceSearchCase>);

}  // namespace
}  // namespace weft::bench
