// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/binary_search.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "search/binary_search_calls.hpp"
#include "support/refusals.hpp"
#include "support/search_run.hpp"
#include "support/sizes.hpp"

namespace weft::test::binary_search_tests {
namespace {

constexpr Bound kBounds[] = {Bound::lower, Bound::upper};

template <class T>
std::vector<std::byte> check(Backend& backend, Bound bound, const std::vector<T>& needles,
                             const std::vector<T>& haystack, const SearchOptions& options = {}) {
  return check_search<BinarySearch>(backend, bound, needles, haystack, options);
}

uint64_t tile_needles(Backend& backend) {
  return create_search<BinarySearch, uint32_t>(backend, Bound::lower).tile_needles();
}

const FuzzSubjects fuzzed("binary_search", [] {
  return std::vector{search_subject<BinarySearch, int32_t>(Bound::upper),
                     search_subject<BinarySearch, double>(Bound::lower)};
});

}  // namespace

TEST_SUITE("binary_search") {
  TEST_CASE("bounds are right at every edge of needles, and of the powers of two of the haystack [bounds] [widths]") {
    for (Backend* backend : every_backend()) {
      for (const uint64_t needles : edges(*backend, tile_needles(*backend), 4))
        check<uint32_t>(*backend, Bound::lower, drawn_keys<uint32_t>(needles, 1, 1000),
                        sorted_keys<uint32_t>(777, 2, 1000));
      for (uint64_t haystack = 1; haystack < 70'000; haystack *= 2)
        for (const uint64_t keys : around({haystack}))
          check<uint32_t>(*backend, Bound::lower, drawn_keys<uint32_t>(300, keys),
                          sorted_keys<uint32_t>(keys, keys + 1));
    }
  }

  TEST_CASE("keys of every type have both bounds, whatever the keys are [types]") {
    uint32_t combination = 0;
    for (Backend* backend : every_backend())
      for_every_key([&]<class T>() {
        for (const Bound bound : kBounds) {
          if (!takes_turn(combination++)) continue;
          if (backend->is_emulated() && (sizeof(T) == 8) == (bound == Bound::lower)) continue;
          for (const auto& [needles, haystack] : hard_keys<T>(700, 900)) {
            auto disordered = needles;
            std::ranges::reverse(disordered);
            check<T>(*backend, bound, disordered, haystack);
          }
          check<T>(*backend, bound, drawn_keys<T>(3000, 1), sorted_keys<T>(3000, 2));
          check<T>(*backend, bound, drawn_keys<T>(3000, 1), {});
        }
      });
  }

  TEST_CASE("-0 is 0, and NaN lies outside of all numbers") {
    for (Backend* backend : every_backend())
      for (const Bound bound : kBounds) {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const float nan = std::copysign(std::numeric_limits<float>::quiet_NaN(), 1.0f);
        check<float>(*backend, bound, {0.0f, nan, -0.0f, -nan, kInfinity, -kInfinity, 1.0f},
                     {-nan, -kInfinity, -1.0f, -0.0f, 0.0f, -0.0f, 1.0f, kInfinity, nan});
      }
  }

  TEST_CASE("needles, haystack and output begin at any multiple of 4 bytes") {
    for (Backend* backend : every_backend())
      for (VkDeviceSize at = 0; at < 16; at += 4) {
        const SearchOptions options{.needles_misalignment = at,
                                    .haystack_misalignment = (3 * at + 4) % 16,
                                    .output_misalignment = (at + 8) % 16};
        check<uint32_t>(*backend, Bound::lower, drawn_keys<uint32_t>(1001, 1), sorted_keys<uint32_t>(999, 2), options);
        check<uint64_t>(*backend, Bound::lower, drawn_keys<uint64_t>(1001, 1), sorted_keys<uint64_t>(999, 2), options);
      }
  }

  TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (Backend* backend : every_backend()) {
      const uint64_t maximum = tile_needles(*backend) + 11;
      const auto needles = drawn_keys<uint32_t>(maximum, 3), haystack = sorted_keys<uint32_t>(maximum, 4);
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(count.value);
        const DeviceCount half{maximum / 2, 12 - count.bytes};
        check<uint32_t>(*backend, Bound::lower, needles, haystack, {.needle_count = count});
        check<uint32_t>(*backend, Bound::lower, needles, haystack, {.needle_count = half, .haystack_count = count});
      }
    }
  }

  TEST_CASE("a haystack that is not sorted touches no other memory [bounds]") {
    for (Backend* backend : every_backend())
      for (const uint64_t values : {0, 2, 50})
        check<uint32_t>(*backend, Bound::lower, drawn_keys<uint32_t>(3000, 1, values),
                        drawn_keys<uint32_t>(5000, 2, values), {.sorted = false});
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    const ScopedTuning overrides("search.workgroup=256");
    for (Backend* backend : every_backend())
      check<uint32_t>(*backend, Bound::lower, drawn_keys<uint32_t>(5000, 1, 900), sorted_keys<uint32_t>(4000, 2, 900));
  }

  TEST_CASE("more needles than workgroups along one axis take are searched [huge]") {
    Backend& backend = first_backend();
    const uint64_t needles = 65'537 * tile_needles(backend);
    if (!backend.is_software()) return;
    // Of few values, so that the oracle need not search for each.
    check<uint32_t>(backend, Bound::lower, std::vector<uint32_t>(needles, 7), {1, 2, 7, 9});
  }

  TEST_CASE("equal calls give equal bits, whatever lay in the output") {
    for (Backend* backend : every_backend()) {
      const auto needles = drawn_keys<uint32_t>(5000, 1, 100), haystack = sorted_keys<uint32_t>(9000, 2, 100);
      CHECK(check<uint32_t>(*backend, Bound::upper, needles, haystack, {.dirt = 0xff}) ==
            check<uint32_t>(*backend, Bound::upper, needles, haystack, {.dirt = 0}));
    }
  }

  TEST_CASE("other keys are refused [refusal]") {
    for (const Type key : {Type::u8, Type::u16, Type::f16, Type::u32x2})
      CHECK(BinarySearch::create(first_backend().context(), {key, Bound::lower}).status().error().code ==
            ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<BinarySearch> test;
    test.check({{"needle_count", "of 2^32", [](auto& a) { a.needle_count = uint64_t{1} << 32; }},
                {"haystack_count", "of 2^32", [](auto& a) { a.haystack_count = uint64_t{1} << 32; }}});
    test.check_taken([](auto& a) {
      a.needle_count = a.haystack_count = 0;
      a.needles = a.haystack = a.output = {};
    });
  }
}

}  // namespace weft::test::binary_search_tests

// Faults that these tests catch: tests/mutants.
// why: halves of a range of odd length are taken for equal
// file: shaders/search/binary_search.comp
// find: length -= step;
// with: length = step;
// run: native --test-suite=binary_search
