// SPDX-License-Identifier: MIT OR Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "support/progress.hpp"
#include "support/rank_test.hpp"
#include "support/statistics.hpp"

namespace weft::bench {
namespace {

// The pairs in which x's is larger. Half of those that are equal count.
double pairs_above(const std::vector<double>& x, const std::vector<double>& y) {
  double pairs = 0;
  for (const double one : x)
    for (const double other : y) pairs += one > other ? 1 : one == other ? 0.5 : 0;
  return pairs;
}

// chance_above by trying each choice of x among all samples.
double enumerated_chance(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> all(x);
  all.insert(all.end(), y.begin(), y.end());
  double choices = 0, above = 0;
  for (uint32_t chosen = 0; chosen < 1u << all.size(); ++chosen) {
    if (static_cast<size_t>(std::popcount(chosen)) != x.size()) continue;
    std::vector<double> sides[2];
    for (size_t i = 0; i < all.size(); ++i) sides[chosen >> i & 1].push_back(all[i]);
    ++choices;
    above += pairs_above(sides[1], sides[0]) >= pairs_above(x, y) ? 1 : 0;
  }
  return above / choices;
}

// Of m samples x and n samples y, all different, such that x's is larger in `pairs` pairs.
double chance_of_pairs(size_t m, size_t n, size_t pairs) {
  std::vector<double> x, y;
  for (size_t i = 0; i < n; ++i) y.push_back(static_cast<double>(i));
  for (size_t i = 0; i < m; ++i) {
    const size_t larger = std::min(n, pairs);
    x.push_back(static_cast<double>(larger) - 0.5 + static_cast<double>(i) * 0.01);
    pairs -= larger;
  }
  return chance_above(x, y);
}

TEST_CASE("progress says how much time is left, once it can be known") {
  CHECK(progress_text(0, 0) == "[  0 %]");
  CHECK(progress_text(0.02, 10) == "[  2 %]");
  CHECK(progress_text(0.25, 10) == "[ 25 %, about 30 s left]");
  CHECK(progress_text(0.5, 300) == "[ 50 %, about 5 min left]");
  CHECK(progress_text(1, 300) == "[100 %, about 0 s left]");
}

}  // namespace

TEST_CASE("a summary keeps its samples in the order taken") {
  const Summary summary = summarize({3, 1, 2, 5, 4});
  CHECK(summary.samples == std::vector<double>{3, 1, 2, 5, 4});
  CHECK(summary.median == 3);
  CHECK(summary.min == 1);
  CHECK(summary.p5 == doctest::Approx(1.2));
  CHECK(summary.p95 == doctest::Approx(4.8));
}

TEST_CASE("the chances of few samples are those of printed tables of Mann and Whitney's U") {
  CHECK(chance_of_pairs(3, 3, 9) == doctest::Approx(1.0 / 20));
  CHECK(chance_of_pairs(3, 4, 12) == doctest::Approx(1.0 / 35));
  CHECK(chance_of_pairs(3, 4, 11) == doctest::Approx(2.0 / 35));
  CHECK(chance_of_pairs(3, 4, 10) == doctest::Approx(4.0 / 35));
  CHECK(chance_of_pairs(4, 4, 16) == doctest::Approx(1.0 / 70));
  CHECK(chance_of_pairs(5, 5, 24) == doctest::Approx(2.0 / 252));
  CHECK(chance_of_pairs(5, 5, 23) == doctest::Approx(4.0 / 252));
  CHECK(chance_of_pairs(5, 5, 0) == 1);
}

TEST_CASE("the chances of few samples are those of all choices, with ties as without") {
  std::mt19937 random(1);
  for (const uint32_t values : {1, 2, 4, 1000000})
    for (size_t m = 1; m <= 6; ++m)
      for (size_t n = 1; n <= 6; ++n) {
        std::vector<double> x(m), y(n);
        for (std::vector<double>* const side : {&x, &y})
          for (double& sample : *side) sample = static_cast<double>(random() % values);
        CHECK(chance_above(x, y) == doctest::Approx(enumerated_chance(x, y)).epsilon(1e-12));
      }
}

TEST_CASE("the rank test is exact up to 24 samples, and normal above") {
  CHECK(chance_of_pairs(12, 12, 144) * 2704156 == doctest::Approx(1));
  CHECK(chance_of_pairs(13, 12, 156) * 1e5 == doctest::Approx(1.24643));  // exact: 1 / 5,200,300
  CHECK(chance_of_pairs(30, 30, 600) == doctest::Approx(0.0135432).epsilon(1e-6));
  CHECK(chance_above(std::vector<double>(30, 1), std::vector<double>(30, 1)) == 1);
}

}  // namespace weft::bench
