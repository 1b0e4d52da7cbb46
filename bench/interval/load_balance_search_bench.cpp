// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/load_balance_search.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

// From offsets to the source of each output.
const Rows load_balance_search_rows("load_balance_search", 31, [](const Matrix& matrix, Cases& cases) {
  const auto complete = [](LoadBalanceSearchArgs& args, const CaseBuffers& buffers) {
    args.sources = buffers.outputs[0];
  };
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) {
    add_intervals<LoadBalanceSearch>(cases, "load_balance_search", spread, false, {.by = IntervalsBy::offsets},
                                     complete, sizes);
  });
});

}  // namespace
}  // namespace weft::bench
