// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/search_case.hpp"

namespace weft::bench {
namespace {

// n: needles and haystack together.
const Rows binary_search_rows("binary_search", 61, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](const char* variant, Bound bound, Type key, bool needles_are_sorted, const Sizes& sizes) {
    const Work work = search_work("binary_search", variant, key, bound, 2, needles_are_sorted);
    cases.push_back(search_case<BinarySearch>(work, key, bound, 2, sizes));
  };
  add("lower", Bound::lower, Type::u32, false, matrix.sizes);
  if (matrix.essential) return;
  add("upper", Bound::upper, Type::u64, false, some_sizes(matrix));
  add("lower sorted needles", Bound::lower, Type::u32, true, some_sizes(matrix));
});

}  // namespace
}  // namespace weft::bench
