// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/sort_case.hpp"

namespace weft::bench {
namespace {

const Rows radix_sort_rows("radix_sort", 73, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](Type key, Keys kind, bool pairs, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    cases.push_back(sort_case<RadixSort>(sort_work("radix_sort", key, kind, pairs), key, pairs, {}, sizes, forced));
  };
  add_sorts(matrix, add);
  for (const bool pairs : {false, true})
    if (matrix.other_strategy) add(Type::u32, Keys::random, pairs, matrix.sizes, matrix.other_strategy);
});

}  // namespace
}  // namespace weft::bench
