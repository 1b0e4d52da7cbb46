// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge_sort.hpp>

#include "support/sort_case.hpp"
#include "weft_kernels/in_order.hpp"

namespace weft::bench {
namespace {

/// The order of keys alone, by a less() of one's own.
class OwnOrderCase : public SortCase<MergeSort, MergeSortArgs> {
 public:
  explicit OwnOrderCase(std::vector<uint64_t> sizes)
      : SortCase("merge_sort", "own", Type::u32, false, Keys::random, std::move(sizes)) {}

 protected:
  Result<MergeSort> made(Gpu& gpu) const override {
    return MergeSort::create(gpu.context(), {.own_kernels = own::in_order()});
  }
};

}  // namespace

Cases merge_sort_cases(const Matrix& matrix) {
  Cases cases = sort_cases(matrix, [](Type key, bool pairs, Keys kind, const std::vector<uint64_t>& sizes) {
    return std::make_unique<SortCase<MergeSort, MergeSortArgs>>("merge_sort", sort_variant(pairs, kind), key, pairs,
                                                                kind, sizes);
  });
  if (!matrix.essential) cases.push_back(std::make_unique<OwnOrderCase>(some_sizes(matrix)));
  return cases;
}

}  // namespace weft::bench
