// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Cases that nobody thought of. Case i of a seed is the same on every machine: primitive, configuration, size, data, offsets
// and counts are drawn by Draws(seed, i). A failure says how to have it alone:
//
//     WEFT_FUZZ_SEED=1 WEFT_FUZZ_CASES=1234-1234 weft_tests -ts=fuzz       (cases by default: the first kCases)
//
// Another primitive is a function that makes a Subject, and lines in subjects().
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

#include "support/device.hpp"
#include "support/draws.hpp"
#include "support/oracle.hpp"
#include "support/run.hpp"

namespace weft::test {
namespace {

constexpr uint64_t kSeed = 1;
constexpr uint64_t kCases = 3000;  // of all processes together
constexpr int kMostFailures = 5;

/// Draws a case, runs it and says what is wrong, or nothing.
using Check = std::function<std::string(Draws&)>;

/// A primitive in one configuration, so that cases share its pipelines.
struct Subject {
  std::string name;
  std::vector<Type> types;  ///< that the device must support
  const char* tuning;       ///< WEFT_TUNE while pipelines are built
  std::function<Check(Backend&)> build;
};

template <class Primitive>
std::shared_ptr<Primitive> built(Result<Primitive> primitive) {
  if (!primitive) FAIL(primitive.error().message);
  return std::make_shared<Primitive>(std::move(*primitive));
}

RunOptions drawn_options(Draws& draw, uint64_t n, uint64_t item_bytes, uint64_t output_bytes) {
  RunOptions options;
  options.input_misalignment = draw.misalignment(item_bytes);
  options.output_misalignment = draw.misalignment(output_bytes);
  options.device_count = draw.device_count(n);
  options.dirt = draw.dirt();
  return options;
}

template <class T, class A = T>
Subject scan_subject(ScanKind kind, Op op, Strategy strategy, const char* tuning = "") {
  const ScanConfig config{kind, op, item_type<T>(), item_type<A>(), strategy};
  Subject subject;
  subject.name = std::string("scan ") + name_of(kind) + ' ' + name_of(op) + ' ' + name_of(config.item) + " to " +
                 name_of(config.accumulator) + ' ' + name_of(strategy) + ' ' + tuning;
  subject.types = {config.item, config.accumulator};
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, scan = built(Scan::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(scan->tile_items());
      const std::vector<T> items = draw.items<T>(n);
      RunOptions options = drawn_options(draw, n, sizeof(T), sizeof(A));
      options.in_place = std::is_same_v<T, A> && draw.one_in(5);
      std::optional<A> initial;
      if (draw.one_in(4)) initial = telling_initial<A>(op);
      if (initial) options.initial = Value::of(*initial);
      const uint64_t obeyed = options.device_count ? std::min(options.device_count->value, n) : n;
      std::vector<A> expected = dirty_items<A>(n, options.dirt);
      if constexpr (std::is_same_v<T, A>)
        if (options.in_place) expected = items;
      const auto scanned = scan_of<A>(std::span<const T>(items).first(obeyed), kind, op, initial);
      std::copy(scanned.begin(), scanned.end(), expected.begin());
      return difference(scan_on<A>(backend.gpu(), *scan, items, options), expected);
    };
  };
  return subject;
}

template <class T, class A = T>
Subject reduce_subject(Op op, const char* tuning = "") {
  const ReduceConfig config{op, item_type<T>(), item_type<A>()};
  Subject subject;
  subject.name = std::string("reduce ") + name_of(op) + ' ' + name_of(config.item) + " to " +
                 name_of(config.accumulator) + ' ' + tuning;
  subject.types = {config.item, config.accumulator};
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, reduce = built(Reduce::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(reduce->tile_items());
      const std::vector<T> items = draw.items<T>(n);
      RunOptions options = drawn_options(draw, n, sizeof(T), sizeof(A));
      const auto obeyed =
          std::span<const T>(items).first(options.device_count ? std::min(options.device_count->value, n) : n);
      if constexpr (!std::is_same_v<T, U32x2>) {
        if (op == Op::arg_min || op == Op::arg_max) {
          options.output_misalignment &= ~VkDeviceSize{3};
          const auto found = reduce_on<ArgResult>(backend.gpu(), *reduce, items, options);
          const auto expected = arg_reduce_of(obeyed, op);
          return difference(std::vector{found.index, found.value.bits},
                            std::vector{expected.index, expected.value.bits});
        }
      }
      std::optional<A> initial;
      if (draw.one_in(4)) initial = telling_initial<A>(op);
      if (initial) options.initial = Value::of(*initial);
      return difference(std::vector{reduce_on<A>(backend.gpu(), *reduce, items, options)},
                        std::vector{reduce_of<A>(obeyed, op, initial)});
    };
  };
  return subject;
}

std::vector<Subject> subjects() {
  constexpr auto kExclusive = ScanKind::exclusive;
  constexpr auto kInclusive = ScanKind::inclusive;
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan;
  constexpr auto kLookBack = Strategy::look_back;
  return {
      scan_subject<uint32_t>(kExclusive, Op::add, kReduceThenScan),
      scan_subject<uint32_t>(kExclusive, Op::add, kLookBack),
      scan_subject<uint32_t>(kInclusive, Op::max, kReduceThenScan, "scan.groups=3"),
      scan_subject<uint32_t>(kInclusive, Op::add, kLookBack, "scan.rows=1,scan.lag_kib=1"),
      scan_subject<uint8_t>(kInclusive, Op::add, kLookBack, "scan.spin_limit=1"),
      scan_subject<uint8_t>(kExclusive, Op::bit_xor, kReduceThenScan, "scan.workgroup=256"),
      scan_subject<uint8_t, uint32_t>(kInclusive, Op::add, kLookBack),
      scan_subject<uint16_t, uint32_t>(kExclusive, Op::add, kReduceThenScan, "scan.rows_wide=3"),
      scan_subject<uint16_t>(kInclusive, Op::min, kLookBack, "scan.rows=3"),
      scan_subject<uint64_t>(kExclusive, Op::add, kLookBack, "scan.rows_wide=1"),
      scan_subject<float>(kExclusive, Op::add, kReduceThenScan),
      scan_subject<F16, float>(kInclusive, Op::add, kLookBack),
      scan_subject<U32x2>(kInclusive, Op::affine, kLookBack, "scan.rows_wide=2"),
      scan_subject<U32x2>(kExclusive, Op::affine, kReduceThenScan, "scan.groups=7"),
      reduce_subject<uint32_t>(Op::add),
      reduce_subject<uint8_t, uint32_t>(Op::add, "reduce.rows=1"),
      reduce_subject<uint16_t>(Op::bit_or, "reduce.groups=2"),
      reduce_subject<float>(Op::min),
      reduce_subject<U32x2>(Op::affine, "reduce.groups=3"),
      reduce_subject<uint32_t>(Op::arg_min),
      reduce_subject<uint8_t>(Op::arg_max, "reduce.rows=2"),
  };
}

uint64_t number_in(const char* variable, const char* text) {
  char* end = nullptr;
  const uint64_t number = std::strtoull(text, &end, 10);
  REQUIRE_MESSAGE((end != text && *end == '\0'), variable, "=", text);
  return number;
}

/// What WEFT_FUZZ_CASES asks for: a number of cases from the first on, or "first-last".
struct Cases {
  uint64_t first = 0;
  uint64_t end = kCases;
  bool all = false;  ///< whatever WEFT_TEST_SHARE says

  static Cases wanted() {
    const char* text = std::getenv("WEFT_FUZZ_CASES");
    if (text == nullptr) return {};
    unsigned long long first = 0, last = 0;
    if (std::sscanf(text, "%llu-%llu", &first, &last) == 2) return {first, last + 1, true};
    return {0, number_in("WEFT_FUZZ_CASES", text), false};
  }
};

}  // namespace

TEST_SUITE("fuzz") {
  TEST_CASE("whatever is drawn, results are the oracle's") {
    const char* seed_text = std::getenv("WEFT_FUZZ_SEED");
    const uint64_t seed = seed_text != nullptr ? number_in("WEFT_FUZZ_SEED", seed_text) : kSeed;
    const Cases cases = Cases::wanted();
    const std::vector<Backend*> backends = every_backend();
    const std::vector<Subject> all = subjects();
    std::map<std::pair<size_t, size_t>, Check> checks;  // by subject and backend
    int failures = 0;
    uint64_t run = 0;
    for (uint64_t i = cases.first; i < cases.end && failures < kMostFailures; ++i) {
      if (!cases.all && !is_in_share(static_cast<uint32_t>(i))) continue;
      Draws draw(seed, i);
      const size_t s = draw.below(all.size());
      const Subject& subject = all[s];
      // Pipelines take longest: each subject has the first backend and one other, which is slower and so takes fewer cases.
      const size_t b = backends.size() > 1 && draw.one_in(3) ? 1 + s % (backends.size() - 1) : 0;
      Backend& backend = *backends[b];
      if (!std::ranges::all_of(subject.types, [&](Type type) { return backend.context().supports(type); })) continue;
      const std::string again =
          "WEFT_FUZZ_SEED=" + std::to_string(seed) + " WEFT_FUZZ_CASES=" + std::to_string(i) + '-' + std::to_string(i);
      INFO(again, " on ", backend.name(), ": ", subject.name);
      Check& check = checks[{s, b}];
      if (!check) {
        const ScopedEnvironment tuned("WEFT_TUNE", subject.tuning);
        check = subject.build(backend);
      }
      const std::string wrong = check(draw);
      CHECK_MESSAGE(wrong == "", again, " on ", backend.name(), ": ", subject.name);
      failures += !wrong.empty();
      ++run;
    }
    MESSAGE(run, " cases of seed ", seed);
    CHECK((run > 0 || cases.first >= cases.end));
  }

  TEST_CASE("a case is the same whenever it is drawn") {
    for (const uint64_t i : {0, 1, 77}) {
      Draws a(kSeed, i), b(kSeed, i), other(kSeed + 1, i);
      CHECK(a.items<uint32_t>(1000) == b.items<uint32_t>(1000));
      CHECK(a.count(512) == b.count(512));
      CHECK(a.word() == b.word());
      CHECK(a.word() != other.word());
    }
  }
}

}  // namespace weft::test
