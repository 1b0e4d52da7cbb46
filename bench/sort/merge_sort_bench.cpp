// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/sort_case.hpp"
#include "weft_kernels/in_order.hpp"

namespace weft::bench {
namespace {

const Rows merge_sort_rows("merge_sort", 72, [](const Matrix& matrix, Cases& cases) {
  add_sorts(matrix, [&](Type key, Keys kind, bool pairs, const Sizes& sizes) {
    cases.push_back(sort_case<MergeSort>(sort_work("merge_sort", key, kind, pairs), key, pairs, {}, sizes));
  });
  if (matrix.essential) return;
  // The order of keys alone, by a less() of one's own.
  Work own = sort_work("merge_sort", Type::u32, Keys::random, false);
  own.variant = "own";
  cases.push_back(sort_case<MergeSort>(own, Type::u32, false, {.own_kernels = own::in_order()}, some_sizes(matrix)));
});

}  // namespace
}  // namespace weft::bench
