// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/sorted_search.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "search/sorted_search_calls.hpp"
#include "support/refusals.hpp"
#include "support/search_run.hpp"
#include "support/sizes.hpp"

namespace weft::test::sorted_search_tests {
namespace {

constexpr Bound kBounds[] = {Bound::lower, Bound::upper};

template <class T>
std::vector<std::byte> check(Backend& backend, Bound bound, const std::vector<T>& needles,
                             const std::vector<T>& haystack, const SearchOptions& options = {}) {
  return check_search<SortedSearch>(backend, bound, needles, haystack, options);
}

template <class T = uint32_t>
uint64_t tile_keys(Backend& backend) {
  return create_search<SortedSearch, T>(backend, Bound::lower).tile_keys();
}

const FuzzSubjects fuzzed("sorted_search", [] {
  return std::vector{
      search_subject<SortedSearch, uint32_t>(Bound::lower),
      search_subject<SortedSearch, float>(Bound::upper, "merge.workgroup=256,merge.keys=4"),
      search_subject<SortedSearch, int64_t>(Bound::lower, "merge.keys_wide=8"),
  };
});

// A test of each form: tiles cut by a dispatch before, and one dispatch.
#define SEARCH_TEST_CASE_OF(body, name)                                                                        \
  static void body();                                                                                          \
  TEST_CASE(name) {                                                                                            \
    const ScopedTuning tuning("merge.direct_tiles=0,merge.direct_tiles_wide=0,merge.few=0");                   \
    body();                                                                                                    \
  }                                                                                                            \
  TEST_CASE(name ", in one dispatch") {                                                                        \
    const ScopedTuning tuning("merge.direct_tiles=4294967295,merge.direct_tiles_wide=4294967295,merge.few=0"); \
    body();                                                                                                    \
  }                                                                                                            \
  static void body()
#define SEARCH_TEST_CASE(name) SEARCH_TEST_CASE_OF(DOCTEST_ANONYMOUS(sorted_search_test_), name)

}  // namespace

TEST_SUITE("sorted_search") {
  SEARCH_TEST_CASE("bounds are right at every edge of both counts [bounds] [widths]") {
    for (Backend* backend : every_backend()) {
      const uint64_t tile = tile_keys(*backend);
      for (const uint64_t total : edges(*backend, tile, 4)) {
        const uint64_t few = std::min<uint64_t>(total, 3);
        for (const uint64_t needles : std::set{uint64_t{0}, few, total / 2, total - few, total})
          check<uint32_t>(*backend, Bound::lower, sorted_keys<uint32_t>(needles, total, total),
                          sorted_keys<uint32_t>(total - needles, total + 1, total));
      }
    }
  }

  SEARCH_TEST_CASE("keys of every type have both bounds, whatever the keys are [types]") {
    uint32_t combination = 0;
    for (Backend* backend : every_backend())
      for_every_key([&]<class T>() {
        for (const Bound bound : kBounds) {
          if (!takes_turn(combination++)) continue;
          if (backend->is_emulated() && (sizeof(T) == 8) == (bound == Bound::lower)) continue;
          const uint64_t tile = tile_keys<T>(*backend);
          for (const auto& [needles, haystack] : hard_keys<T>(2 * tile + 19, 3 * tile - 7))
            check<T>(*backend, bound, needles, haystack);
        }
      });
  }

  TEST_CASE("-0 is 0, and NaN lies outside of all numbers") {
    const auto of = []<class T>(Backend& backend, Bound bound) {
      constexpr T kInfinity = std::numeric_limits<T>::infinity();
      const T nan = std::copysign(std::numeric_limits<T>::quiet_NaN(), T{1});
      const std::vector<T> keys{-nan, -kInfinity, -1,   -std::numeric_limits<T>::denorm_min(),
                                -0.0, 0.0,        -0.0, std::numeric_limits<T>::denorm_min(),
                                1,    kInfinity,  nan};
      check<T>(backend, bound, keys, keys);
      check<T>(backend, bound, {-nan, 0.0, nan}, keys);
      check<T>(backend, bound, {-nan, -0.0, nan}, keys);
      check<T>(backend, bound, {-0.0}, {0.0, 0.0});
      check<T>(backend, bound, {0.0}, {-0.0, -0.0});
    };
    for (Backend* backend : every_backend())
      for (const Bound bound : kBounds) {
        of.operator()<float>(*backend, bound);
        of.operator()<double>(*backend, bound);
      }
  }

  SEARCH_TEST_CASE("few needles in a large haystack and many in a small one are found") {
    for (Backend* backend : every_backend())
      for (const Bound bound : kBounds)
        for (const uint64_t few : {1, 2, 50})
          for (const uint64_t values : {0, 7}) {
            const uint64_t many = (backend->is_emulated() ? 5 : 40) * tile_keys(*backend) + few;
            check<uint32_t>(*backend, bound, sorted_keys<uint32_t>(few, 1, values),
                            sorted_keys<uint32_t>(many, 2, values));
            check<uint32_t>(*backend, bound, sorted_keys<uint32_t>(many, 3, values),
                            sorted_keys<uint32_t>(few, 4, values));
          }
  }

  SEARCH_TEST_CASE("needles, haystack and output begin at any multiple of 4 bytes") {
    for (Backend* backend : every_backend())
      for (VkDeviceSize needles = 0; needles < 16; needles += 4)
        for (VkDeviceSize haystack = 0; haystack < 16; haystack += 4) {
          const SearchOptions options{.needles_misalignment = needles,
                                      .haystack_misalignment = haystack,
                                      .output_misalignment = (3 * needles + haystack) % 16};
          const auto at = [&]<class T>() {
            const uint64_t tile = tile_keys<T>(*backend);
            check<T>(*backend, Bound::lower, sorted_keys<T>(3 * tile, needles), sorted_keys<T>(3 * tile + 5, haystack),
                     options);
            check<T>(*backend, Bound::lower, sorted_keys<T>(3 + needles, 1), sorted_keys<T>(2 + haystack, 2), options);
          };
          at.operator()<uint32_t>();
          at.operator()<uint64_t>();
        }
  }

  SEARCH_TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (Backend* backend : every_backend()) {
      const uint64_t maximum = 2 * tile_keys(*backend) + 11;
      const auto needles = sorted_keys<uint32_t>(maximum, 3), haystack = sorted_keys<uint32_t>(maximum + 100, 4);
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(count.value);
        const DeviceCount half{maximum / 2, 12 - count.bytes};
        check<uint32_t>(*backend, Bound::lower, needles, haystack, {.needle_count = count});
        check<uint32_t>(*backend, Bound::lower, needles, haystack, {.haystack_count = count});
        check<uint32_t>(*backend, Bound::lower, needles, haystack, {.needle_count = count, .haystack_count = half});
      }
    }
  }

  SEARCH_TEST_CASE("keys that are not sorted touch no other memory") {
    for (Backend* backend : every_backend())
      for (const uint64_t values : {0, 2, 50}) {
        const auto disordered = [&]<class T>() {
          const uint64_t tile = tile_keys<T>(*backend);
          const auto needles = drawn_keys<T>(4 * tile + 3, 1, values),
                     haystack = drawn_keys<T>(3 * tile + 9, 2, values);
          check<T>(*backend, Bound::lower, needles, haystack, {.sorted = false});
          check<T>(*backend, Bound::lower, sorted(needles), haystack, {.sorted = false});
          check<T>(*backend, Bound::lower, needles, sorted(haystack), {.sorted = false});
          auto falling = sorted(needles);
          std::ranges::reverse(falling);
          check<T>(*backend, Bound::lower, falling, sorted(haystack), {.sorted = false});
          check<T>(*backend, Bound::lower, sorted(haystack), falling, {.sorted = false});
        };
        disordered.operator()<uint32_t>();
        disordered.operator()<uint64_t>();
      }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning :
         {"merge.workgroup=256,merge.keys=16,merge.keys_wide=8,merge.few=0,merge.direct_tiles=0",
          "merge.workgroup=128,merge.keys=1,merge.keys_wide=1,merge.direct_tiles=1000,merge.direct_tiles_wide=1000",
          "merge.workgroup=128,merge.keys=8,merge.few=0", "merge.workgroup=256,merge.keys=2,merge.few_keys=8"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend()) {
        const auto same = [&]<class T>() {
          const uint64_t tile = tile_keys<T>(*backend);
          for (const uint64_t values : {0, 9})
            check<T>(*backend, Bound::lower, sorted_keys<T>(2 * tile + 5, 1, values),
                     sorted_keys<T>(2 * tile + 30, 2, values));
        };
        same.operator()<uint32_t>();
        same.operator()<uint64_t>();
      }
    }
  }

  TEST_CASE("more tiles than a dispatch has workgroups along one axis are searched [huge]") {
    // The smallest tiles there are.
    const ScopedTuning small_tiles("merge.workgroup=128,merge.keys=1,merge.direct_tiles=0,merge.few=0");
    Backend& backend = first_backend();
    const uint64_t groups = workgroups_along_x(backend);
    if (groups == 0) return;
    const uint64_t haystack = (groups + 3) * tile_keys(backend);
    check<uint32_t>(backend, Bound::lower, sorted_keys<uint32_t>(50'000, 1), sorted_keys<uint32_t>(haystack, 2));
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      const auto needles = sorted_keys<uint32_t>(5000, 1, 100), haystack = sorted_keys<uint32_t>(9000, 2, 100);
      CHECK(check<uint32_t>(*backend, Bound::upper, needles, haystack, {.dirt = 0xff}) ==
            check<uint32_t>(*backend, Bound::upper, needles, haystack, {.dirt = 0}));
    }
  }

  TEST_CASE("scratch grows with both counts and is never nothing") {
    const SortedSearch& search = create_search<SortedSearch, uint32_t>(first_backend(), Bound::lower);
    check_scratch_grows_with_both(search);
  }

  TEST_CASE("other keys are refused [refusal]") {
    for (const Type key : {Type::u8, Type::u16, Type::f16, Type::u32x2})
      CHECK(SortedSearch::create(first_backend().context(), {key, Bound::lower}).status().error().code ==
            ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<SortedSearch> test;
    test.check({{"needle_count", "of 2^32", [](auto& a) { a.needle_count = uint64_t{1} << 32; }},
                {"haystack_count", "2^32 with the needles",
                 [](auto& a) { a.haystack_count = (uint64_t{1} << 32) - kCalled; }}});
    test.check_taken([](auto& a) {
      a.needle_count = a.haystack_count = 0;
      a.needles = a.haystack = a.output = {};
    });
    test.check_taken([](auto& a) { a.haystack = a.needles; });
  }
}

}  // namespace weft::test::sorted_search_tests
//
// why: what lies between a part's pieces is a needle
// file: shaders/search/sorted_search.comp
// find: if (is_needle && (kNeedlesAreA || i < first_needle + needles)) bounds.at[i] = position + r * kSubgroupSize - i;
// with: if (is_needle) bounds.at[i] = position + r * kSubgroupSize - i;
// run: native --test-suite=sorted_search
//
// why: a needle of few is not looked for behind the last key but one
// file: shaders/search/sorted_search.comp
// find: bounds.at[first_needle + i] = first - first_needle + needle_bound(part, i, part.count - needles);
// with: bounds.at[first_needle + i] = first - first_needle + needle_bound(part, i, max(part.count - needles, 1u) - 1u);
// run: native --test-suite=sorted_search
//
// why: -0 is before 0
// file: shaders/merge/merge_key.glsl
// find: bits = ((high << 1) | low) == 0u ? uvec2(0u) : bits;
// with: bits.x += 0u * (high + low);
// run: native --test-suite=sorted_search
