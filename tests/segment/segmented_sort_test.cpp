// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_sort.hpp>

#include <doctest/doctest.h>

#include <set>

#include "segment/segmented_sort_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/refusals.hpp"
#include "support/search_run.hpp"
#include "support/segmented_sort_run.hpp"
#include "support/sizes.hpp"

namespace weft::test::segmented_sort_tests {
namespace {

/// Lengths of segments at which something changes: none, a block, a short segment, a tile and a run of a long one.
std::vector<uint64_t> hard_segment_lengths(const SegmentedSort& sort) {
  std::set<uint64_t> all;
  for (const uint64_t size :
       {uint64_t{1}, uint64_t{16}, uint64_t{32}, uint64_t{64}, uint64_t{sort.short_keys()},
        uint64_t{2} * sort.short_keys(), uint64_t{sort.tile_keys()}, uint64_t{3} * sort.tile_keys()})
    all.insert({size - 1, size, size + 1});
  return {all.begin(), all.end()};
}

/// SwiftShader and emulated subgroups take seconds to build a pipeline: there most tests share one
/// sort, and some are left to others.
bool builds_slowly(const Backend& backend) {
  return backend.is_emulated() || backend.name().find("SwiftShader") != std::string::npos;
}

template <class T>
FuzzSubject subject_of(SegmentedSortConfig given, const char* tuning = "") {
  given.key = type_of<T>;
  const auto draw_case = [](Backend& backend, const SegmentedSortConfig& config, Draws& draw) {
    const SegmentedSort& sort = create<SegmentedSort>(backend, config);
    const uint64_t n = draw.count(draw.one_in(2) ? sort.tile_keys() : sort.short_keys());
    const uint64_t segments = draw.one_in(2) ? draw.count(1000) : draw.of_any_magnitude(n / 9 + 1);
    const auto keys = drawn_sort_keys<T>(draw, n);
    const SegmentedSortOptions options{draw.misalignment(sizeof(T)), draw.misalignment(4), draw.misalignment(4),
                                       draw.misalignment(sizeof(T)), draw.misalignment(4), draw.device_count(segments),
                                       draw.device_count(n),         !draw.one_in(10),     draw.dirt()};
    check_segmented_sort(backend, config, keys, drawn_offsets(draw, n, segments, options.ascending), options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("segmented_sort", [] {
  return std::vector{
      subject_of<uint32_t>({}),
      subject_of<double>({.value_bytes = 4, .order = SortOrder::descending, .offset = Type::u64},
                         "segmented_sort.long_rows=3,radix_sort.groups=2"),
  };
});

}  // namespace

TEST_SUITE("segmented_sort") {
  TEST_CASE("segments of every length at an edge are sorted, alone and next to each other [forms]") {
    for (Backend* backend : every_backend()) {
      const SegmentedSortConfig config{.value_bytes = builds_slowly(*backend) ? 4u : 0u};
      const std::vector<uint64_t> lengths = hard_segment_lengths(create<SegmentedSort>(*backend, config));
      uint64_t all = 0;
      for (const uint64_t n : lengths) {
        all += n;
        if (builds_slowly(*backend)) continue;
        check_segmented_sort<uint32_t>(*backend, config, drawn_keys<uint32_t>(n, n), {0, n});
      }
      check_segmented_sort<uint32_t>(*backend, config, drawn_keys<uint32_t>(all, 1), offsets_from(0, lengths));
    }
  }

  TEST_CASE("segments of one length are sorted wherever they begin [forms] [slow]") {
    for (Backend* backend : every_backend()) {
      const uint64_t tile = create<SegmentedSort>(*backend, {.value_bytes = 4}).short_keys();
      for (const uint64_t length :
           {uint64_t{1}, uint64_t{2}, uint64_t{7}, uint64_t{17}, uint64_t{100}, tile, tile + 1}) {
        const uint64_t n = 5 * tile + 3;
        for (const uint64_t first : {uint64_t{0}, uint64_t{1}, uint64_t{31}, tile - 1}) {
          if (builds_slowly(*backend) && first != 1) continue;
          Offsets offsets = {first};
          while (offsets.back() + length <= n) offsets.push_back(offsets.back() + length);
          check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(n, length, 50), offsets);
        }
      }
    }
  }

  TEST_CASE("segments of all kinds of lengths are sorted, and empty ones change nothing [forms]") {
    for (Backend* backend : every_backend()) {
      const uint64_t n = builds_slowly(*backend) ? 3000 : 20000;
      for (const Counts& lengths : hard_lengths(n, 1)) {
        check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(n, 2, 500),
                                       offsets_from(0, lengths));
        if (builds_slowly(*backend)) continue;
        check_segmented_sort<uint32_t>(*backend, {.offset = Type::u64}, drawn_keys<uint32_t>(n, 3),
                                       offsets_from(0, lengths));
      }
    }
  }

  TEST_CASE("keys are sorted whatever they are, and equal ones keep their order [forms]") {
    for (Backend* backend : every_backend()) {
      if (builds_slowly(*backend)) continue;
      const uint64_t tile = create<SegmentedSort>(*backend, {.value_bytes = 4}).tile_keys();
      const uint64_t n = 4 * tile + 77;
      const Offsets offsets = offsets_from(3, {20, 0, 90, tile + 5, 16, 2 * tile});
      for (const auto& keys : hard_sort_keys<uint32_t>(n))
        for (const SortOrder order : {SortOrder::ascending, SortOrder::descending})
          check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4, .order = order}, keys, offsets);
    }
  }

  TEST_CASE("keys of every type are sorted both ways, with values of both sizes and none [types]") {
    for (Backend* backend : every_backend()) {
      uint32_t combination = 0;
      for_every_key([&]<class T>() {
        if (backend->is_emulated() || (builds_slowly(*backend) && !std::is_same_v<T, double>)) return;
        for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
          if (!takes_turn(combination++)) continue;
          // Unsigned keys that ascend have pipelines of their own: here of keys alone.
          const bool is_plain = std::is_unsigned_v<T> && order == SortOrder::ascending;
          const SegmentedSortConfig config{.key = type_of<T>, .value_bytes = is_plain ? 0u : 8u, .order = order};
          const uint64_t tile = create<SegmentedSort>(*backend, config).tile_keys();
          const Offsets offsets = offsets_from(1, {9, 40, tile + 9, 1, 0, 130});
          const auto lists = hard_sort_keys<T>(offsets.back() + 2);
          for (size_t i = 0; i < lists.size(); i += 5) check_segmented_sort<T>(*backend, config, lists[i], offsets);
        }
      });
    }
  }

  TEST_CASE("keys, values and offsets begin at any multiple of 4 bytes") {
    for (Backend* backend : every_backend()) {
      if (builds_slowly(*backend)) continue;
      const Offsets offsets = offsets_from(2, {40, 13, 1200, 7});
      for (VkDeviceSize at = 0; at < 16; at += 4) {
        const SegmentedSortOptions options{.keys_misalignment = at,
                                           .values_misalignment = (at + 4) % 16,
                                           .offsets_misalignment = (at + 8) % 16,
                                           .keys_out_misalignment = (3 * at + 4) % 16,
                                           .values_out_misalignment = (3 * at + 8) % 16};
        check_segmented_sort<uint32_t>(*backend, {.value_bytes = 8, .order = SortOrder::descending},
                                       drawn_keys<uint32_t>(1300, at), offsets, options);
        check_segmented_sort<uint64_t>(*backend, {.value_bytes = 4, .offset = Type::u64},
                                       drawn_keys<uint64_t>(1300, at), offsets, options);
      }
    }
  }

  TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (Backend* backend : every_backend()) {
      if (builds_slowly(*backend)) continue;
      const uint64_t maximum = 3000;
      const auto keys = drawn_keys<uint32_t>(maximum, 3);
      const Offsets offsets = offsets_from(2, {100, 700, 0, 900, 3, 800, 400});
      const uint64_t segments = offsets.size() - 1;
      for (const uint32_t bytes : {4u, 8u})
        for (const uint64_t share : {0, 1, 2, 3, 4}) {
          const uint64_t all = bytes == 4 ? uint64_t{~0u} : ~uint64_t{0};
          const DeviceCount count{share == 4 ? all : segments * share / 2 + share % 2, bytes};
          const DeviceCount key_count{share == 4 ? ~uint64_t{0} >> (8 * bytes - 32) : maximum * share / 2 + share % 2,
                                      12 - bytes};
          check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, keys, offsets, {.count = count});
          if (share == 4) continue;
          check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, keys, offsets, {.key_count = key_count});
          check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, keys, offsets,
                                         {.count = count, .key_count = key_count});
        }
    }
  }

  TEST_CASE("offsets above the number of keys are taken as that, and those that decrease spoil nothing else [widths]") {
    for (Backend* backend : every_backend())
      for (const Type offset : {Type::u32, Type::u64}) {
        if (builds_slowly(*backend) && offset == Type::u64) continue;
        const uint64_t n = 2500;
        const auto keys = drawn_keys<uint32_t>(n, 3);
        const uint64_t most = offset == Type::u32 ? uint64_t{~0u} : ~uint64_t{0};
        const SegmentedSortConfig config{.value_bytes = 4, .offset = offset};
        for (const Offsets& offsets : {Offsets{0, 5, n, n + 1, most}, Offsets{n - 70, most}, Offsets{0, most - 1, most},
                                       Offsets{n, n}, Offsets{most, most}})
          check_segmented_sort<uint32_t>(*backend, config, keys, offsets);
        Offsets saw;
        for (uint64_t i = 0; i < 600; ++i) saw.push_back(i % 2 * n);
        for (const Offsets& offsets :
             {Offsets{most, 7, 3, 3, 0}, saw, random_counts(700, 2 * n, 5), random_counts(3000, most, 6)})
          check_segmented_sort<uint32_t>(*backend, config, keys, offsets, {.ascending = false});
      }
  }

  TEST_CASE("a million of empty segments is passed by [slow]") {
    if (builds_slowly(first_backend())) return;
    Offsets offsets(500000, 50);
    offsets.insert(offsets.end(), 500000, 90);
    offsets.push_back(100);
    check_segmented_sort<uint32_t>(first_backend(), {}, drawn_keys<uint32_t>(120, 1), offsets);
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning :
         {"segmented_sort.short_keys=32,segmented_sort.block_keys=2,segmented_sort.block_keys_wide=2,"
          "segmented_sort.long_rows=1,radix_sort.groups=3",
          "segmented_sort.workgroup=256,segmented_sort.workgroup_wide=256,segmented_sort.short_keys=1024,"
          "segmented_sort.block_keys=16,segmented_sort.block_keys_wide=16,"
          "segmented_sort.long_workgroup=256,segmented_sort.long_rows=7,radix_sort.groups=1,radix_sort.copies=4"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend()) {
        if (builds_slowly(*backend)) continue;
        const uint64_t n = 30000;
        for (const Counts& lengths : {random_counts(60, 900, 1), Counts{100, n - 500, 300}, Counts(n / 9, 9)})
          check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(n, 1, 3000),
                                         offsets_from(5, lengths));
      }
    }
  }

  TEST_CASE("segments of middle length are sorted, of every length at an edge [tuning]") {
    // Short ones have up to 64 keys and tiles 256; in a call of 2^16 keys middle ones have up to 1,024.
    const ScopedTuning overrides(
        "segmented_sort.workgroup=32,segmented_sort.workgroup_wide=32,segmented_sort.short_keys=64,"
        "segmented_sort.block_keys=4,segmented_sort.block_keys_wide=4,"
        "segmented_sort.middle_workgroup=128,segmented_sort.middle_keys=2,segmented_sort.middle_keys_wide=2,"
        "segmented_sort.middle_tiles=4,segmented_sort.middle_tiles_wide=4,segmented_sort.middle_groups=3");
    Counts lengths;
    for (const uint64_t size : {64u, 128u, 256u, 512u, 768u, 1024u})
      lengths.insert(lengths.end(), {size - 1, size, size + 1});
    const uint64_t n = uint64_t{1} << 16;
    for (Backend* backend : every_backend()) {
      if (builds_slowly(*backend)) continue;
      for (const uint32_t value_bytes : {0u, 4u})
        check_segmented_sort<uint32_t>(*backend, {.value_bytes = value_bytes}, drawn_keys<uint32_t>(n, 1, 300),
                                       offsets_from(7, lengths));
      check_segmented_sort<uint64_t>(*backend, {.order = SortOrder::descending}, drawn_keys<uint64_t>(n, 2),
                                     offsets_from(7, lengths));
      // Of fewer keys all that are not short are of middle length, and of one tile.
      check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(256, 3, 30), {0, 65, 256});
    }
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      const auto keys = drawn_keys<uint32_t>(3000, 1, 100);
      const Offsets offsets = offsets_from(0, {1500, 20, 700, 1, 779});
      CHECK(check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, keys, offsets, {.dirt = 0xff}) ==
            check_segmented_sort<uint32_t>(*backend, {.value_bytes = 4}, keys, offsets, {.dirt = 0}));
    }
  }

  TEST_CASE("scratch grows with the keys and is never nothing") {
    for (const SegmentedSortConfig& config :
         {SegmentedSortConfig{}, SegmentedSortConfig{.key = Type::u64, .value_bytes = 4}}) {
      const SegmentedSort& sort = create<SegmentedSort>(first_backend(), config);
      check_scratch_grows([&](uint64_t n) { return sort.scratch_size(n); }, ~uint64_t{0});
    }
  }

  TEST_CASE("other keys, values and offsets are refused [refusal]") {
    const auto is_refused = [](const SegmentedSortConfig& config) {
      const auto sort = SegmentedSort::create(first_backend().context(), config);
      REQUIRE(!sort);
      CHECK(sort.error().code == ErrorCode::unsupported);
      CHECK(sort.error().message.find("SegmentedSort") != std::string::npos);
    };
    for (const Type key : {Type::u8, Type::u16, Type::f16, Type::u32x2}) is_refused({.key = key});
    for (const uint32_t bytes : {1u, 2u, 3u, 5u, 12u, 16u}) is_refused({.value_bytes = bytes});
    for (const Type offset : {Type::u16, Type::i32, Type::f32}) is_refused({.offset = offset});
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<SegmentedSort> test;
    test.recording.dispatches_side_by_side = 1;  // sorts segments of middle length, and counts digits of long ones
    test.check({{"count", "of 2^40", [](auto& a) { a.count = uint64_t{1} << 40; }},
                {"key_count", "of 2^32", [](auto& a) { a.key_count = uint64_t{1} << 32; }}});
    for (const bool no_keys : {false, true})
      test.check_taken([&](auto& a) {
        (no_keys ? a.key_count : a.count) = 0;
        a.keys = a.values = a.keys_out = a.values_out = a.offsets = {};
      });
  }
}

}  // namespace weft::test::segmented_sort_tests

// Faults that these tests catch: tests/mutants.
// why: a segment one longer than short ones is in no class
// file: shaders/segment/segmented_sort_tiles.comp
// find: is_middle = !is_long && end - begin > kShortKeys;
// with: is_middle = !is_long && end - begin > kShortKeys + 1u;
// run: native --test-suite=segmented_sort
//
// why: a segment one longer than those of middle length is in no class
// file: shaders/segment/segmented_sort_tiles.comp
// find: is_long = end - begin > push.middle_keys;
// with: is_long = end - begin > push.middle_keys + 1u;
// run: native --test-suite=segmented_sort
//
// why: a segment that fills a tile is lost
// file: shaders/segment/segmented_sort_tiles.comp
// find: before + blocks <= tile_end
// with: before + blocks < tile_end
// run: native --test-suite=segmented_sort
//
// why: a round merges a run with itself
// file: shaders/segment/segmented_sort_merge.comp
// find: const uint pair = first & ~(2u * run - 1u);
// with: const uint pair = first & ~(run - 1u);
// run: native --test-suite=segmented_sort
//
// why: the first of two runs goes on into the second
// file: shaders/segment/segmented_sort_tiles.comp
// find: if (next < (is_b ? end : runs.count_a))
// with: if (next < end)
// run: native --test-suite=segmented_sort
