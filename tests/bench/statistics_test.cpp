// SPDX-License-Identifier: MIT OR Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <vector>

#include "support/statistics.hpp"

namespace weft::bench {

TEST_CASE("a summary keeps its samples in the order taken") {
  const Summary summary = summarize({3, 1, 2, 5, 4});
  CHECK(summary.samples == std::vector<double>{3, 1, 2, 5, 4});
  CHECK(summary.median == 3);
  CHECK(summary.min == 1);
  CHECK(summary.p5 == doctest::Approx(1.2));
  CHECK(summary.p95 == doctest::Approx(4.8));
}

}  // namespace weft::bench
