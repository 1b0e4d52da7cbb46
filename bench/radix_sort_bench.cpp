// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/radix_sort.hpp>

#include "support/sort_case.hpp"

namespace weft::bench {

Cases radix_sort_cases(const Matrix& matrix) { return sort_cases<RadixSort, RadixSortArgs>("radix_sort", matrix); }

}  // namespace weft::bench
