// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/sort_case.hpp"
#include "weft_kernels/in_order.hpp"

namespace weft::bench {
namespace {

const Rows merge_sort_rows("merge_sort", 72, [](const Matrix& matrix, Cases& cases) {
  add_sorts<MergeSort>("merge_sort", matrix, cases);
  // The order of keys alone, by a less() of one's own.
  if (!matrix.essential)
    cases.add<SortCase<MergeSort>>("merge_sort", "own", Type::u32, Keys::random,
                                   MergeSortConfig{.own_kernels = own::in_order()}, some_sizes(matrix));
});

}  // namespace
}  // namespace weft::bench
