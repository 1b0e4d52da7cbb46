// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/radix_sort.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "sort/radix_sort_calls.hpp"
#include "support/faults.hpp"
#include "support/fuzz_subject.hpp"
#include "support/refusals.hpp"
#include "support/search_run.hpp"
#include "support/sizes.hpp"
#include "support/sort_run.hpp"

namespace weft::test::radix_sort_tests {
namespace {

template <class T = uint32_t>
uint64_t tile_keys(Backend& backend, uint32_t value_bytes = 0) {
  return create<RadixSort>(backend, {type_of<T>, value_bytes}).tile_keys();
}

template <class T>
FuzzSubject subject_of(RadixSortConfig given, const char* tuning = "") {
  given.key = type_of<T>;
  const auto draw_case = [](Backend& backend, const RadixSortConfig& config, Draws& draw) {
    const uint64_t n = draw.count(create<RadixSort>(backend, config).tile_keys());
    const auto keys = drawn_sort_keys<T>(draw, n);
    check_sort(backend, config, keys, drawn_sort_options<T>(draw, n));
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("radix_sort", [] {
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan, kLookBack = Strategy::look_back;
  std::vector subjects{
      subject_of<uint32_t>({.strategy = kReduceThenScan}, "radix_sort.groups=3"),
      subject_of<float>({.value_bytes = 4, .order = SortOrder::descending, .strategy = kReduceThenScan},
                        "radix_sort.direct_groups=2"),
      subject_of<int64_t>({.value_bytes = 8, .strategy = kReduceThenScan},
                          "radix_sort.rows=16,radix_sort.part_words=700"),
      subject_of<uint64_t>({.begin_bit = 27, .end_bit = 44, .strategy = kReduceThenScan}, "radix_sort.rows=3"),
      subject_of<int32_t>({.strategy = kLookBack}, "radix_sort.spin_limit=1"),
      subject_of<uint32_t>({.value_bytes = 4, .order = SortOrder::descending, .strategy = kLookBack},
                           "radix_sort.sweep_pairs_workgroup=256,radix_sort.sight=1"),
      subject_of<double>({.value_bytes = 8, .strategy = kLookBack},
                         "radix_sort.sweep_pairs_rows=16,radix_sort.sweep_pairs_part_words=700"),
      subject_of<uint64_t>({.begin_bit = 27, .end_bit = 44, .strategy = kLookBack},
                           "radix_sort.sweep_rows=3,radix_sort.sight=8,radix_sort.sweep_groups=2"),
  };
  // It needs no 64-bit atomics.
  for (FuzzSubject& subject : subjects) subject.needs_look_back = false;
  return subjects;
});

}  // namespace

TEST_SUITE("radix_sort") {
  TEST_CASE("keys are sorted at every edge of the count [widths]") {
    for (Backend* backend : every_backend())
      for (const uint64_t n : edges(*backend, tile_keys(*backend), 4))
        check_sort<uint32_t>(*backend, {}, drawn_keys<uint32_t>(n, n));
  }

  TEST_CASE("keys are sorted whatever they are, and equal ones keep their order [types]") {
    for (Backend* backend : every_backend())
      for (const auto& keys : hard_sort_keys<uint32_t>(3 * tile_keys(*backend, 4) + 77)) {
        check_sort<uint32_t>(*backend, {}, keys);
        if (backend->is_emulated() || takes_turn(2)) check_sort<uint32_t>(*backend, {.value_bytes = 4}, keys);
        if (backend->is_emulated() || takes_turn(0))
          check_sort<uint32_t>(*backend, {.value_bytes = 4, .order = SortOrder::descending}, keys);
      }
  }

  TEST_CASE("keys of every type are sorted both ways, with values of both sizes [types]") {
    for (Backend* backend : every_backend())
      for_every_key_in_turn(*backend, [&]<class T>(SortOrder order, uint32_t value_bytes) {
        const auto lists = hard_sort_keys<T>(tile_keys<T>(*backend, value_bytes) + 19);
        for (size_t i = 0; i < lists.size(); i += 2)
          check_sort<T>(*backend, {.value_bytes = value_bytes, .order = order}, lists[i]);
      });
  }

  TEST_CASE("-0 is before 0, and NaN lies outside of all numbers [forms]") {
    const auto of = []<class T>(Backend& backend) {
      using Limits = std::numeric_limits<T>;
      const T nan = std::copysign(Limits::quiet_NaN(), T{1});
      const std::vector<T> sorted{-nan, -Limits::infinity(),  -1, -Limits::denorm_min(), -0.0,
                                  0.0,  Limits::denorm_min(), 1,  Limits::infinity(),    nan};
      std::vector<T> keys = sorted;
      std::ranges::reverse(keys);
      std::swap(keys[3], keys[7]);
      const std::vector<std::byte> found = check_sort<T>(backend, {.value_bytes = 8}, keys);
      CHECK(std::ranges::equal(found, std::as_bytes(std::span(sorted))));
    };
    for (Backend* backend : every_backend()) {
      of.operator()<float>(*backend);
      of.operator()<double>(*backend);
    }
  }

  TEST_CASE("a range of bits alone is compared [forms]") {
    for (Backend* backend : every_backend()) {
      const auto keys = drawn_keys<uint32_t>(2 * tile_keys(*backend) + 5, 1);
      for (const auto& [begin, end] :
           {std::pair{0u, 1u}, {31u, 32u}, {0u, 8u}, {5u, 6u}, {3u, 12u}, {8u, 0u}, {1u, 31u}})
        check_sort<uint32_t>(*backend, {.value_bytes = 4, .begin_bit = begin, .end_bit = end}, keys);
      if (backend->is_emulated()) continue;
      const auto wide = drawn_keys<double>(2 * tile_keys<double>(*backend) + 5, 2);
      for (const auto& [begin, end] :
           {std::pair{0u, 3u}, {63u, 64u}, {28u, 36u}, {30u, 33u}, {32u, 40u}, {24u, 32u}, {7u, 61u}})
        check_sort<double>(*backend, {.value_bytes = 4, .begin_bit = begin, .end_bit = end}, wide);
    }
  }

  TEST_CASE("keys and values begin at any multiple of 4 bytes") {
    for (Backend* backend : every_backend())
      for (VkDeviceSize keys = 0; keys < 16; keys += 4)
        for (VkDeviceSize out = 0; out < 16; out += 4) {
          const SortOptions options{.keys_misalignment = keys,
                                    .values_misalignment = (keys + out + 4) % 16,
                                    .keys_out_misalignment = out,
                                    .values_out_misalignment = (3 * keys + out) % 16};
          if (backend->is_emulated()) continue;
          check_sort<uint64_t>(*backend, {.value_bytes = 8}, drawn_keys<uint64_t>(800, keys + out), options);
        }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (Backend* backend : every_backend()) {
      const uint64_t maximum = 2 * tile_keys(*backend, 4) + 11;
      const auto keys = drawn_keys<uint32_t>(maximum, 3);
      for (const uint32_t bytes : {4u, 8u})
        for (const uint64_t value : {uint64_t{0}, uint64_t{1}, maximum / 2, maximum - 1, maximum, maximum + 1,
                                     bytes == 4 ? uint64_t{~0u} : ~uint64_t{0}}) {
          CAPTURE(value);
          check_sort<uint32_t>(*backend, {.value_bytes = 4}, keys, {.device_count = DeviceCount{value, bytes}});
        }
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    uint32_t turn = 0;
    // Scans of the table and not, rows that parts do not divide evenly, more subgroups than a lane holds counters of.
    for (const char* tuning :
         {"radix_sort.groups=3,radix_sort.direct_groups=0,radix_sort.rows=5,radix_sort.part_words=200",
          "radix_sort.workgroup=256,radix_sort.rows=16,radix_sort.part_words=1024,"
          "radix_sort.direct_groups=1,radix_sort.copies=8,radix_sort.count_workgroup=256",
          "radix_sort.rows=12,radix_sort.part_words=300,radix_sort.groups=1",
          "radix_sort.many_pairs=900,radix_sort.many_workgroup=256,radix_sort.many_part_words=512,"
          "subgroup.shuffled_sums=1",
          "radix_sort.sweep_pairs_rows=5,radix_sort.sweep_pairs_part_words=200,radix_sort.sight=1,"
          "radix_sort.sweep_pairs_ahead=1,"
          "radix_sort.sweep_groups=3,radix_sort.sweep_copies=8,radix_sort.sweep_count_workgroup=256",
          "radix_sort.sweep_pairs_workgroup=256,radix_sort.sweep_pairs_rows=16,radix_sort.sweep_pairs_part_words=1024,"
          "radix_sort.sight=8,radix_sort.spin_limit=1,radix_sort.sweep_groups=1",
          "radix_sort.workgroup=192,radix_sort.sweep_pairs_workgroup=384,radix_sort.sweep_pairs_part_words=3072,"
          "radix_sort.sweep_pairs_ahead=1,look_back.tickets=0"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend()) {
        if (backend->is_emulated()) continue;  // builds these for long
        const uint64_t tile = tile_keys(*backend, 4);
        check_sort<uint32_t>(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(3 * tile + 99, 1));
        check_sort<uint32_t>(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(2 * tile, 1, 5));
        if (turn++ % 2 == 0) check_sort<uint32_t>(*backend, {.value_bytes = 8}, drawn_keys<uint32_t>(tile + 7, 1));
      }
    }
  }

  TEST_CASE("more workgroups than the scan of the table takes at a time are sorted by [forms]") {
    const ScopedTuning small_tiles("radix_sort.rows=1,radix_sort.groups=1100,radix_sort.direct_groups=0");
    for (Backend* backend : every_backend()) {
      if (backend->is_emulated()) continue;
      check_sort<uint32_t>(*backend, {.begin_bit = 20}, drawn_keys<uint32_t>(1099 * tile_keys(*backend) + 1, 1));
    }
  }

  TEST_CASE("states published with delay, or never, do not change the result [faults]") {
    uint32_t first = 0;
    // A lane has two digits of 8 bits, one, or fewer have any; long tiles are not counted in one turn.
    for (const char* tuning : {"radix_sort.sweep_rows=1,radix_sort.sweep_pairs_rows=1,radix_sort.spin_limit=2",
                               "radix_sort.sweep_pairs_workgroup=1024,radix_sort.sweep_pairs_part_words=8192,"
                               "radix_sort.sweep_workgroup=256,radix_sort.sight=1,look_back.tickets=0"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend())
        for (const auto kind : {LookBackFault::Kind::delay, LookBackFault::Kind::omit}) {
          uint32_t combination = first++;
          // SwiftShader, which has no 64-bit atomics, takes ten seconds a sort: it has one kind, with one tuning.
          if (backend->is_software() && !has_look_back(backend->context()) && combination != 3) continue;
          for (const uint32_t every : {1u, 2u, 7u}) {
            // With every tuning and kind each width meets another one of the three.
            if (!takes_turn(combination++)) continue;
            if (backend->is_emulated() && std::string_view(tuning).find("1024") != std::string::npos) continue;
            CAPTURE(static_cast<int>(kind));
            CAPTURE(every);
            const auto check = [&]<class T>(RadixSortConfig config, uint64_t range) {
              config.key = type_of<T>;
              const RadixSort sort = with_fault<RadixSort>(*backend, config, {kind, every});
              for (const uint64_t tiles : {2, 21}) {
                const auto keys = drawn_keys<T>(tiles * sort.tile_keys() + 5, tiles, range);
                CAPTURE(backend->name());
                CAPTURE(tiles);
                CHECK(wrong_sort(backend->gpu(), sort, config, keys,
                                 {.device_count = DeviceCount{keys.size() - 3, 4}}) == "");
              }
            };
            check.operator()<uint32_t>({.value_bytes = 4}, ~uint64_t{0});
            if (every != 2 || backend->is_emulated() || !has_look_back(backend->context())) continue;
            check.operator()<int32_t>({.order = SortOrder::descending}, 1000);
            check.operator()<double>({.value_bytes = 8, .begin_bit = 27, .end_bit = 43}, ~uint64_t{0});
          }
        }
    }
  }

  TEST_CASE("the strategy asked for is the one in use, and automatic is decided by the Context") {
    for (Backend* backend : every_backend()) {
      for (const Strategy strategy : {Strategy::reduce_then_scan, Strategy::look_back})
        CHECK(create<RadixSort>(*backend, {.strategy = strategy}).strategy() == strategy);
      CHECK(create<RadixSort>(*backend, {}).strategy() == backend->context().strategy());
    }
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      const auto keys = drawn_keys<uint32_t>(3000, 1, 100);
      CHECK(check_sort<uint32_t>(*backend, {.value_bytes = 4}, keys, {.dirt = 0xff}) ==
            check_sort<uint32_t>(*backend, {.value_bytes = 4}, keys, {.dirt = 0}));
    }
  }

  TEST_CASE("scratch grows with the count and is never nothing") {
    for (const RadixSortConfig& config :
         {RadixSortConfig{.strategy = Strategy::reduce_then_scan}, RadixSortConfig{.strategy = Strategy::look_back},
          RadixSortConfig{.value_bytes = 4, .strategy = Strategy::look_back}}) {
      const RadixSort& sort = create<RadixSort>(first_backend(), config);
      CHECK(sort.scratch_size(0) != 0);
      for (uint64_t n = 1; n != 0; n *= 2) CHECK(sort.scratch_size(n - 1) <= sort.scratch_size(n));
    }
  }

  TEST_CASE("other keys, values and bits are refused [refusal]") {
    const auto is_refused = [](const RadixSortConfig& config) {
      CHECK(RadixSort::create(first_backend().context(), config).status().error().code == ErrorCode::unsupported);
    };
    for (const Type key : {Type::u8, Type::u16, Type::f16, Type::u32x2}) is_refused({key});
    for (const uint32_t bytes : {1u, 2u, 3u, 5u, 12u, 16u}) is_refused({.value_bytes = bytes});
    is_refused({.begin_bit = 32});
    is_refused({.begin_bit = 8, .end_bit = 8});
    is_refused({.begin_bit = 9, .end_bit = 8});
    is_refused({.end_bit = 33});
    is_refused({.key = Type::i64, .end_bit = 65});
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<RadixSort> test;
    test.check({{"count", "of 2^32", [](auto& a) { a.count = uint64_t{1} << 32; }}});
    test.check_taken([](auto& a) {
      a.count = 0;
      a.keys = a.values = a.keys_out = a.values_out = {};
    });
    test.check_taken([](auto& a) { a.keys = a.values; });
  }
}

}  // namespace weft::test::radix_sort_tests

// Faults that these tests catch: tests/mutants.
// why: digits of a workgroup begin where the first workgroup's do
// file: shaders/sort/radix_sort_downsweep.comp
// find: own_0.next = workgroup_exclusive(counts.y, 0u, all) + counts.x;
// with: own_0.next = workgroup_exclusive(counts.y, 0u, all);
// run: native --test-suite=radix_sort
//
// why: a digit that a tile before had not published is not looked for again
// file: shaders/sort/radix_sort_look_back.glsl
// find: if (deferred == 0u) break;
// with: if (deferred != 1u) break;
// run: native --test-suite=radix_sort
//
// why: the last key of a digit in a row is taken to be the first
// file: shaders/sort/radix_sort_move.glsl
// find: if (subgroup_is_last(peers))
// with: if (subgroup_rank(peers) == 0u)
// run: native --test-suite=radix_sort
//
// why: what is read ahead has an effect
// file: shaders/sort/radix_sort_move.glsl
// find: ahead &= push.digit_mask >> kDigitBits;
// with: ahead &= push.digit_mask;
// run: native --test-suite=radix_sort
