// SPDX-License-Identifier: MIT OR Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "support/active_clock.hpp"
#include "support/call_bound.hpp"
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

// What calls on so many items take, in milliseconds, on devices that differ in speed and in how it depends on the size.
std::vector<std::function<double(uint64_t)>> devices() {
  std::vector<std::function<double(uint64_t)>> all;
  for (const double items_per_ms : {1e3, 2e4, 1e6, 1e9}) {
    all.emplace_back([=](uint64_t n) { return static_cast<double>(n) / items_per_ms; });
    all.emplace_back([=](uint64_t n) { return 0.3 + static_cast<double>(n) / items_per_ms; });
    all.emplace_back(
        [=](uint64_t n) { return static_cast<double>(n) * std::log2(static_cast<double>(n + 2)) / 20 / items_per_ms; });
    // A cache that holds what less than half a millisecond reads, eight times as fast.
    all.emplace_back([=](uint64_t n) {
      const auto items = static_cast<double>(n);
      return items < items_per_ms / 2 ? items / 8 / items_per_ms : items / items_per_ms;
    });
  }
  return all;
}

TEST_CASE("no call takes longer than its bound, whatever the device's speed, and what fits is found to fit") {
  // n log n items take a little longer than a shorter call says.
  constexpr double kMostMs = 1.25 * kMaxCallMs;
  for (const bool fresh : {false, true})
    for (const auto& device : devices()) {
      std::optional<CallSpeed> speed;
      for (uint64_t n = 1; n <= uint64_t{1} << 30; n = n * 7 + 1) {
        if (fresh) speed.reset();
        double longest_ms = 0;
        uint64_t calls = 0;
        const auto predicted = predict_call_ms(n, kMaxCallMs, speed, [&](uint64_t items) -> std::optional<double> {
          CHECK(items <= n);
          ++calls;
          longest_ms = std::max(longest_ms, device(items));
          return device(items);
        });
        REQUIRE(predicted);
        CHECK(calls < 20);
        if (*predicted <= kMaxCallMs) {
          longest_ms = std::max(longest_ms, device(n));
          speed = CallSpeed{n, device(n)};
        } else {
          CHECK(device(n) > kMaxCallMs / 2);
        }
        CHECK(longest_ms <= kMostMs);
      }
    }
}

TEST_CASE("a call that is not bounded is not probed twice, and one that fails ends the prediction") {
  std::optional<CallSpeed> speed;
  int calls = 0;
  const auto second = [&](uint64_t) -> std::optional<double> { return ++calls, 1000.0; };
  CHECK(predict_call_ms(uint64_t{1} << 30, std::numeric_limits<double>::infinity(), speed, second));
  CHECK(calls == 1);
  speed.reset();
  CHECK_FALSE(predict_call_ms(5, kMaxCallMs, speed, [](uint64_t) { return std::optional<double>(); }));
}

TEST_CASE("a case that is drawn has few items until its speed is known, and then no more than its bound allows") {
  constexpr uint64_t kFirst = 20'000;
  CHECK(affordable_items({}, kMaxCallMs, kFirst) == kFirst);
  CHECK(affordable_items(CallSpeed{0, 1.0}, kMaxCallMs, kFirst) == kFirst);
  CHECK(affordable_items(CallSpeed{5, 0.0}, kMaxCallMs, kFirst) == kFirst);
  CHECK(affordable_items(CallSpeed{100, 1e-30}, kMaxCallMs, kFirst) == kFirst);
  CHECK(affordable_items(CallSpeed{kFirst, 1e-30}, kMaxCallMs, kFirst) == ~uint64_t{0});
  for (const auto& device : devices())
    for (const uint64_t n : {1, 100, 20'000, 200'000}) {
      const uint64_t items = affordable_items(CallSpeed{n, device(n)}, kMaxCallMs, kFirst);
      CHECK(items >= 1);
      // At most ten times as many as a first case has are drawn.
      if (items > 1) CHECK(device(std::min(items, 10 * kFirst)) <= kMaxCallMs);
    }
}

TEST_CASE("the clock in use is that of the line with a star") {
  CHECK(active_mhz("0: 500Mhz\n1: 1500Mhz *\n2: 2400Mhz\n") == 1500);
  CHECK(active_mhz("0: 96Mhz *") == 96);
  for (const char* const text : {"", "*", "0: 500Mhz\n", "1500Mhz *", "1: Mhz *", "1: 99999999999Mhz *"})
    CHECK_FALSE(active_mhz(text));
}

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
