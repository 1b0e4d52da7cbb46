// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/sort_case.hpp"

namespace weft::bench {
namespace {

const Rows radix_sort_rows("radix_sort", 73, [](const Matrix& matrix, Cases& cases) {
  add_sorts<RadixSort>("radix_sort", matrix, cases);
});

}  // namespace
}  // namespace weft::bench
