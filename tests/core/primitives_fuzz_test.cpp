// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Cases that nobody thought of. Case i of a seed is the same on every machine: primitive, configuration, size, data,
// offsets and counts are drawn by Draws(seed, i). A failure says how to have it alone:
//
//     WEFT_FUZZ_SEED=1 WEFT_FUZZ_CASES=1234-1234 weft_tests -ts=fuzz       (cases by default: the first kCases)
//
// The subjects are registered by the tests of the primitives (support/fuzz_subject.hpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "support/device.hpp"
#include "support/fuzz_subject.hpp"

namespace weft::test::primitives_fuzz_tests {
namespace {

constexpr uint64_t kSeed = 1;
constexpr uint64_t kCases = 2400;  // of all processes together

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
    const std::vector<FuzzSubject> subjects = FuzzSubjects::all();
    uint64_t run = 0;
    for (uint64_t i = cases.first; i < cases.end; ++i) {
      Draws draw(seed, i);
      const size_t s = draw.below(subjects.size());
      const FuzzSubject& subject = subjects[s];
      // Pipelines take longest: each subject has the first backend of one of the processes that share the subjects out,
      // and every fourth an emulated backend, which is slower and so takes fewer cases, in another process.
      const size_t b = backends.size() > 1 && draw.one_in(5) && s % 4 == 0 ? 1 + s / 4 % (backends.size() - 1) : 0;
      if (!cases.all && !takes_turn(static_cast<uint32_t>(b == 0 ? s : s + 1))) continue;
      Backend& backend = *backends[b];
      if (!std::ranges::all_of(subject.types, [&](Type type) { return backend.context().supports(type); })) continue;
      // The decoders' own tests have more of it, where a software device is quick enough.
      if (subject.name.starts_with("gstd_decode") || subject.name.starts_with("gdeflate_decode") ||
          subject.name.starts_with("zstd_decode"))
        continue;
      if (subject.needs_look_back && !has_look_back(backend.context())) continue;
      INFO("WEFT_FUZZ_SEED=", seed, " WEFT_FUZZ_CASES=", i, '-', i, " on ", backend.name(), ": ", subject.name);
      const ScopedTuning tuned(subject.tuning);
      subject.run(backend, draw);
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
}  // namespace weft::test::primitives_fuzz_tests
