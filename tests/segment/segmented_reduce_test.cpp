// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_reduce.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "segment/segmented_reduce_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/refusals.hpp"
#include "support/run.hpp"
#include "support/segmented_run.hpp"
#include "support/segments.hpp"
#include "support/sizes.hpp"

namespace weft::test::segmented_reduce_tests {
namespace {

template <class T, class A>
SegmentedReduceConfig config_of(Op op, Type offset) {
  return {op, offset, item_type<T>(), item_type<A>(), {}};
}

template <class T = uint32_t, class A = T>
uint64_t tile_items(Backend& backend, Op op = Op::add, Type offset = Type::u32) {
  return create<SegmentedReduce>(backend, config_of<T, A>(op, offset)).tile_items();
}

template <class T, class A = T>
std::vector<A> check(Backend& backend, Op op, const std::vector<T>& items, const Offsets& offsets,
                     const SegmentedOptions& options = {}, Type offset = Type::u32) {
  const SegmentedReduceConfig config = config_of<T, A>(op, offset);
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  std::vector<A> found;
  CHECK(wrong_segmented_reduce<A>(backend.gpu(), create<SegmentedReduce>(backend, config), config, items, offsets,
                                  options, &found) == "");
  return found;
}

/// Sums of u32, with a few items before the first segment and after the last.
void check_lengths(Backend& backend, const Counts& lengths, uint64_t seed = 1) {
  const Offsets offsets = offsets_from(seed % 6, lengths);
  check<uint32_t>(backend, Op::add, random_items<uint32_t>(offsets.back() + seed % 3, seed), offsets);
}

// u32 takes every operator, and every type one, each on one backend in turn. Of `of` combinations that a process has it
// takes one on software devices.
void check_every_type(uint32_t of) {
  const std::vector<Backend*> backends = every_backend();
  for_every_value_in_turn([&]<class T, class A>(Op op, uint32_t turn) {
    Backend& backend = *backends[turn % backends.size()];
    if (!takes_turn(turn) || (is_slow(backend) && turn / 3 % of != 0)) return false;
    if (!backend.context().supports(item_type<T>()) || !backend.context().supports(item_type<A>())) return false;
    const Type offset = turn % 2 == 0 ? Type::u32 : Type::u64;
    const uint64_t n = 3 * tile_items<T, A>(backend, op, offset) + 5;
    for (const Counts& lengths : hard_lengths(n, turn))
      check<T, A>(backend, op, random_items<T>(n, n + 17 * static_cast<uint64_t>(op), op), offsets_from(0, lengths), {},
                  offset);
    return true;
  });
}

template <class T, class A = T>
FuzzSubject subject_of(Op op, Type offset, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const SegmentedReduceConfig& config, Draws& draw) {
    const uint64_t tile = create<SegmentedReduce>(backend, config).tile_items(), n = draw.count(tile);
    const uint64_t segments = draw.one_in(2) ? draw.count(tile / 4) : draw.of_any_magnitude(n / 9 + 1);
    const auto items = draw.items<T>(n);
    SegmentedOptions options = drawn_segmented_options<T, A>(draw, n, segments);
    options.ascending = !draw.one_in(10);
    check<T, A>(backend, config.op, items, drawn_offsets(draw, n, segments, options.ascending), options, config.offset);
  };
  return {config_of<T, A>(op, offset), tuning, draw_case};
}

const FuzzSubjects fuzzed("segmented_reduce", [] {
  return std::vector{
      subject_of<uint32_t>(Op::add, Type::u32, "segmented_reduce.groups=3"),
      subject_of<uint8_t, uint32_t>(Op::add, Type::u64, "segmented_reduce.rows=1"),
      subject_of<uint16_t>(Op::max, Type::u32, "segmented_reduce.workgroup=256"),
      subject_of<int64_t>(Op::add, Type::u32, "segmented_reduce.groups=7"),
  };
});

}  // namespace

TEST_SUITE("segmented_reduce") {
  TEST_CASE("every operator and every type of items is combined, whatever lengths segments have [types]") {
    check_every_type(1);
  }

  TEST_CASE("a workgroup for each segment combines every operator and every type of items [types]") {
    // All but the shortest segments are long.
    const ScopedTuning direct("segmented_reduce.direct_mean=1,segmented_reduce.slice_log=8");
    check_every_type(2);
  }

  TEST_CASE("a subgroup for each segment combines every operator and every type of items [types]") {
    const ScopedTuning few("segmented_reduce.few_items=1073741824,segmented_reduce.few_mean=4294967295");
    check_every_type(2);
  }

  TEST_CASE("segments about as long as a subgroup takes, and longer, are combined by a subgroup each [widths]") {
    const ScopedTuning few(
        "segmented_reduce.few_items=1073741824,segmented_reduce.few_mean=4294967295,segmented_reduce.few_rows=1");
    for (Backend* backend : every_backend()) {
      const uint64_t most = 4 * (uint64_t{backend->context().subgroup_size()} - 1);
      for (const uint64_t first : {0, 1, 2, 3}) {
        check_lengths(*backend, {first, most - 1, most, most + 1, most + 3, 0, 3 * most, 2, 5000, 5000, 1}, first);
        check_lengths(*backend, Counts(5 + first, most), first);
      }
    }
  }

  TEST_CASE("segments about the length of a slice, and many slices, are combined by a workgroup each") {
    const ScopedTuning direct("segmented_reduce.direct_mean=1,segmented_reduce.slice_log=6");
    for (Backend* backend : every_backend()) {
      for (const uint64_t first : {0, 1, 63})
        for (uint64_t length = 62; length <= 66; ++length)
          check_lengths(*backend, {first, length, length, 2, length, 0, 130}, length);
      // More slices than one workgroup joins; several long segments end in each share of them.
      if (is_slow(*backend)) continue;
      check_lengths(*backend, Counts(64, 1000), 1);
      check_lengths(*backend, {20000, 0, 3, 30001, 64}, 2);
    }
  }

  TEST_CASE("items and ends of segments at and around every edge are combined whole [widths]") {
    for (Backend* backend : every_backend()) {
      const uint64_t tile = tile_items(*backend);
      for (const uint64_t size : edges(*backend, tile, 4)) {
        if (size > 4 * tile && is_slow(*backend)) continue;
        check_lengths(*backend, {size}, size);
        check_lengths(*backend, Counts(size / 4), size);
        check_lengths(*backend, Counts(size / 5, 1), size);
        if (size >= 4) check_lengths(*backend, {size - 4}, size);
        if (size >= 12) check_lengths(*backend, {0, size - 12, 0}, size);
      }
    }
  }

  TEST_CASE("segments that end anywhere about the edge of a tile are combined whole [widths]") {
    for (Backend* backend : every_backend()) {
      const uint64_t tile = tile_items(*backend);
      for (uint64_t length = tile - 10; length <= tile + 2; ++length) {
        check_lengths(*backend, {length, 3, 0, 0, tile, 1}, length);
        check_lengths(*backend, {0, length - 4, length, length + 1, 0}, length);
      }
      // Ends and items of every share, so that edges of tiles meet all of them.
      for (uint64_t length = 1; length <= 24; ++length)
        check_lengths(*backend, Counts(2 * tile / length, length), length);
    }
  }

  TEST_CASE("segments of all kinds of lengths are combined by runs of many tiles a workgroup") {
    const ScopedTuning few_groups("segmented_reduce.groups=3");
    for (Backend* backend : every_backend()) {
      const uint64_t tile = tile_items(*backend);
      for (const uint64_t n : {2 * tile, 7 * tile + 1, 20 * tile + 3})
        for (const Counts& lengths : hard_lengths(n, n)) check_lengths(*backend, lengths, n);
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning : {"segmented_reduce.workgroup=256,segmented_reduce.rows=8,segmented_reduce.groups=5",
                               "segmented_reduce.workgroup=128,segmented_reduce.rows=1,segmented_reduce.rows_wide=3"}) {
      const ScopedTuning overrides(tuning);
      Backend& backend = first_backend();
      if (is_slow(backend)) return;
      const uint64_t n = 3 * tile_items(backend) + 7;
      for (const Counts& lengths : hard_lengths(n, 5)) check_lengths(backend, lengths, 5);
      if (!backend.context().supports(Type::u64) || std::string(tuning).find("wide") == std::string::npos) continue;
      for (const Counts& lengths : hard_lengths(n, 6))
        check<uint64_t>(backend, Op::max, random_items<uint64_t>(n, 6, Op::max), offsets_from(0, lengths));
    }
  }

  TEST_CASE("a million segments and a million items are combined, however they lie [slow]") {
    for (Backend* backend : every_backend()) {
      if (is_slow(*backend) && backend->is_emulated()) continue;
      const uint64_t n =
          backend->is_software() ? (backend->is_emulated() || is_slow(*backend) ? 1 << 16 : 1 << 20) : 1 << 25;
      check_lengths(*backend, {n + 7});
      Counts empty(n);
      check_lengths(*backend, empty);
      empty[n / 3] = n / 2;
      check_lengths(*backend, empty);
      check_lengths(*backend, mixed_counts(n / 8, 3));
    }
  }

  TEST_CASE("items, offsets and results begin at any item, independently [widths]") {
    for (Backend* backend : every_backend()) {
      const auto every_start = [&]<class T>(Type offset) {
        const uint64_t tile = tile_items<T>(*backend, Op::add, offset);
        const uint64_t step = std::min<uint64_t>(sizeof(T), 4);
        uint64_t turn = 0;
        for (VkDeviceSize items = 0; items < 16; items += step)
          for (VkDeviceSize output = 0; output < 16; output += step) {
            if (sizeof(T) == 1 && (items + output) % 3 != 0) continue;
            const uint64_t n = ++turn % 3 == 0 ? 13 : turn % 3 == 1 ? tile + 9 : 3 * tile;
            check<T>(*backend, Op::add, random_items<T>(n, turn),
                     offsets_from(turn % 5, random_counts(n / 25, 50, turn)),
                     {.items_misalignment = items, .offsets_misalignment = turn % 4 * 4, .output_misalignment = output},
                     offset);
          }
      };
      every_start.operator()<uint32_t>(Type::u32);
      if (backend->is_emulated()) continue;
      every_start.operator()<uint8_t>(Type::u64);
      if (backend->context().supports(Type::u64) && !is_slow(*backend)) every_start.operator()<uint64_t>(Type::u32);
    }
  }

  TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (Backend* backend : every_backend()) {
      const uint64_t maximum = 2 * tile_items(*backend) + 11;
      const auto items = random_items<uint32_t>(maximum, 3);
      const Offsets offsets = offsets_from(2, random_counts(maximum / 10, 20, 4));
      const uint64_t segments = offsets.size() - 1;
      for (const DeviceCount& count : edge_counts(segments)) {
        check<uint32_t>(*backend, Op::add, items, offsets, {.count = count});
        check<uint32_t>(*backend, Op::add, items, offsets,
                        {.count = count, .item_count = DeviceCount{maximum / 2, 12 - count.bytes}});
      }
      for (const DeviceCount& count : edge_counts(maximum))
        check<uint32_t>(*backend, Op::add, items, offsets, {.item_count = count});
    }
  }

  TEST_CASE("offsets above the number of items are taken as that") {
    for (Backend* backend : every_backend())
      for (const Type offset : {Type::u32, Type::u64}) {
        if (backend->is_emulated() && offset == Type::u64) continue;
        const uint64_t n = 2 * tile_items(*backend, Op::add, offset) + 9;
        const uint64_t most = offset == Type::u32 ? uint64_t{~0u} : ~uint64_t{0};
        const auto items = random_items<uint32_t>(n, 3);
        for (const Offsets& offsets :
             {Offsets{0, 5, n + 1, most}, Offsets{n - 1, n, n + 1, n + 2}, Offsets{n, n, n + 1},
              Offsets{most, most, most}, Offsets{7, most}, Offsets{0, n, most - 1, most}})
          check<uint32_t>(*backend, Op::add, items, offsets, {}, offset);
      }
  }

  TEST_CASE("offsets that decrease touch no other memory") {
    for (Backend* backend : every_backend())
      for (const Type offset : {Type::u32, Type::u64}) {
        if (backend->is_emulated() && offset == Type::u64) continue;
        const uint64_t tile = tile_items(*backend, Op::add, offset);
        const uint64_t n = 3 * tile + 9;
        const auto items = random_items<uint32_t>(n, 3);
        for (const uint64_t segments : {uint64_t{5}, tile / 3, tile}) {
          Offsets offsets;
          const auto run = [&](uint64_t first, uint64_t last) {
            offsets.front() = first;
            offsets.back() = last;
            check<uint32_t>(*backend, Op::add, items, offsets, {.ascending = false}, offset);
          };
          for (const uint64_t below : {uint64_t{7}, n, 2 * n, ~uint64_t{0}}) {
            offsets = random_counts(segments + 1, below, segments);
            run(0, n);
            run(n, 0);
            run(offsets.front(), n);
          }
          offsets = offsets_from(0, Counts(segments, n / segments));
          std::ranges::reverse(offsets);
          run(offsets.front(), offsets.back());
          run(0, n);
        }
      }
  }

  TEST_CASE("float sums have the same bits on every run, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      if (backend->is_emulated()) continue;
      const SegmentedReduceConfig config = config_of<float, float>(Op::add, Type::u32);
      const SegmentedReduce& reduce = create<SegmentedReduce>(*backend, config);
      const uint64_t n = 21 * uint64_t{reduce.tile_items()} + 77;
      const auto items = rough_floats(n, 3);
      const Offsets offsets = offsets_from(3, {n / 2, 100, 0, 5000, 7});
      std::vector<float> first, second;
      const auto run = [&](uint8_t dirt, std::vector<float>& found) {
        CHECK(wrong_segmented_reduce<float>(backend->gpu(), reduce, config, items, offsets,
                                            {.ascending = false, .dirt = dirt}, &found) == "");
      };
      run(0xff, first);
      run(0, second);
      CHECK(difference(first, second) == "");
      for (size_t s = 0; s < first.size(); ++s) {
        double exact = 0;
        for (uint64_t i = offsets[s]; i < offsets[s + 1]; ++i) exact += items[i];
        CHECK(first[s] == doctest::Approx(exact).epsilon(1e-5));
      }
    }
  }

  TEST_CASE("scratch grows with both counts and is never nothing") {
    const SegmentedReduce& reduce =
        create<SegmentedReduce>(first_backend(), config_of<uint32_t, uint32_t>(Op::add, Type::u32));
    check_scratch_grows_with_both(reduce);
  }

  TEST_CASE("operators and types that are not for segments are unsupported") {
    const Context& context = first_backend().context();
    for (const SegmentedReduceConfig& config : {SegmentedReduceConfig{Op::arg_min, Type::u32, Type::u32, Type::u32, {}},
                                                {Op::affine, Type::u32, Type::u32x2, Type::u32x2, {}},
                                                {Op::bit_or, Type::u32, Type::f32, Type::f32, {}},
                                                {Op::add, Type::u32, Type::f16, Type::f32, {}},
                                                {Op::add, Type::u32, Type::u8, Type::u16, {}},
                                                {Op::add, Type::u32, Type::u32, Type::u8, {}},
                                                {Op::add, Type::i32, Type::u32, Type::u32, {}},
                                                {Op::add, Type::u16, Type::u32, Type::u32, {}}}) {
      CAPTURE(name_of(config.op));
      CAPTURE(name_of(config.item));
      const auto reduce = SegmentedReduce::create(context, config);
      REQUIRE(!reduce);
      CHECK(reduce.error().code == ErrorCode::unsupported);
      CHECK(reduce.error().message.find("SegmentedReduce") != std::string::npos);
    }
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<SegmentedReduce> test;
    test.check({{"count", "of 2^62", [](auto& a) { a.count = uint64_t{1} << 62; }}});
    test.check_taken([](auto& a) {
      a.count = a.item_count = 0;
      a.items = a.offsets = a.output = {};
    });
    test.check_taken([](auto& a) { a.item_count = 0, a.items = {}; });
  }
}

}  // namespace weft::test::segmented_reduce_tests

// Faults that these tests catch: tests/mutants.
// why: a segment that ended in a tile stays open in the next
// file: shaders/segment/segmented_reduce.comp
// find: added.heads = 1u;
// with: added.heads = 0u;
// run: native --test-suite=segmented_reduce
//
// why: a subgroup takes a segment of one vector more than its lanes hold
// file: shaders/segment/segmented_reduce_direct.comp
// find: count.x <= kSubgroupItems;
// with: count.x <= kSubgroupItems + WEFT_VECTOR_ITEMS;
// run: native --test-suite=segmented_reduce
