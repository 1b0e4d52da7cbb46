// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/search_case.hpp"

namespace weft::bench {
namespace {

// n: needles and haystack together.
const Rows sorted_search_rows("sorted_search", 60, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](const char* variant, Bound bound, Type key, uint32_t needle_share, const Sizes& sizes) {
    const Work work = search_work("sorted_search", variant, key, bound, needle_share, true);
    cases.push_back(search_case<SortedSearch>(work, key, bound, needle_share, sizes));
  };
  const Sizes some = some_sizes(matrix);
  add("lower", Bound::lower, Type::u32, 2, matrix.sizes);
  if (matrix.essential) return;
  add("upper", Bound::upper, Type::u32, 2, some);
  add("lower", Bound::lower, Type::u64, 2, some);
  add("lower needles=1/64", Bound::lower, Type::u32, 64, some);
});

}  // namespace
}  // namespace weft::bench
