// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_move.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "interval/interval_move_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/intervals.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test::interval_move_tests {
namespace {

/// Intervals, and where they lie among `sources` and `destinations` items.
struct Intervals {
  Counts counts;
  Counts gather{}, scatter{};  ///< those that the form has
  uint64_t sources = 0, destinations = 0;
};

/// Where intervals lie one after the other in an order drawn at random, up to `gap` items
/// apart; and where the last one ends.
struct Positions {
  Counts offsets;
  uint64_t end = 0;
};
Positions shuffled_positions(const Counts& counts, uint64_t gap, uint64_t seed) {
  std::vector<uint64_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](uint64_t i) { return random_word(seed, i); });
  Positions positions{Counts(counts.size())};
  for (const uint64_t i : order) {
    positions.end += random_word(seed + 1, i) % (gap + 1);
    positions.offsets[i] = positions.end;
    positions.end += counts[i];
  }
  return positions;
}

Intervals intervals_of(const IntervalMoveConfig& config, Counts counts, uint64_t gap = 5, uint64_t seed = 1) {
  Intervals intervals{std::move(counts)};
  intervals.sources = intervals.destinations = total_of(intervals.counts);
  if (config.gather) {
    Positions positions = shuffled_positions(intervals.counts, gap, seed);
    intervals.gather = std::move(positions.offsets);
    intervals.sources = positions.end + 3;
  }
  if (config.scatter) {
    Positions positions = shuffled_positions(intervals.counts, gap, seed + 7);
    intervals.scatter = std::move(positions.offsets);
    intervals.destinations = positions.end + 3;
  }
  return intervals;
}

/// Moves once and compares all that is written with the CPU's. Returns the output.
Bytes check_move(Backend& backend, const IntervalMoveConfig& config, const Intervals& intervals,
                 const IntervalOptions& options = {}) {
  const IntervalMove& move = create<IntervalMove>(backend, config);
  const Counts& counts = intervals.counts;
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  IntervalCall<IntervalMoveArgs> call(backend.gpu(), move, counts, config.by, config.count, options);
  const uint64_t max_output = call.max_output, bytes = config.item_bytes;
  const uint64_t sources = config.gather ? intervals.sources : max_output;
  const uint64_t destinations = config.scatter ? intervals.destinations : max_output;

  const Bytes input = options.input.empty() ? random_bytes(sources * bytes, counts.size()) : options.input;
  Bytes expected(destinations * bytes, std::byte{options.dirt});
  uint32_t first_bad = ~uint32_t{0};
  uint64_t packed = 0;
  for (uint64_t i = 0; i < call.looked_at.size(); ++i) {
    const uint64_t count = call.looked_at[i], first = packed;
    packed += count;
    if (count == 0 || max_output == 0) continue;
    const uint64_t from = config.gather ? intervals.gather[i] : first,
                   to = config.scatter ? intervals.scatter[i] : first;
    const bool is_bad = (config.gather && (from > sources || count > sources - from)) ||
                        (config.scatter && (to > destinations || count > destinations - to));
    if (is_bad) first_bad = std::min(first_bad, static_cast<uint32_t>(i));
    if (is_bad || first >= max_output) continue;
    std::memcpy(expected.data() + to * bytes, input.data() + from * bytes, std::min(count, max_output - first) * bytes);
  }

  call.args.input = call.input("input", input, options.input_misalignment);
  const auto positions = [&](const char* name, const Counts& offsets) {
    return call.input(name, bytes_of_lengths(offsets, config.offset), options.other_misalignment);
  };
  if (config.gather) call.args.gather = positions("gather", intervals.gather);
  if (config.scatter) call.args.scatter = positions("scatter", intervals.scatter);
  call.args.output = call.output("output", expected.size(), options.output_misalignment);
  call.expect("output", expected, bytes);
  // In lines, intervals after the first max_output items may be moved or not.
  if (config.gather && config.scatter && call.expected_total > max_output) call.expect_any("output", expected.size());
  call.check(move, first_bad);
  return call.found("output");
}

/// The three forms.
std::vector<IntervalMoveConfig> forms(IntervalMoveConfig config) {
  std::vector<IntervalMoveConfig> all;
  for (const bool gather : {true, false})
    for (const bool scatter : {true, false}) {
      config.gather = gather;
      config.scatter = scatter;
      if (gather || scatter) all.push_back(config);
    }
  return all;
}

// Pipelines take longest here, GPU-assisted validation's above all: tests have these in common.
constexpr const char* kOnePass = "move.direct_intervals=2000";
/// The three forms, of which offsets of one side alone take one pass, and all others two.
std::vector<IntervalMoveConfig> forms_in_any_passes(uint32_t bytes) {
  std::vector<IntervalMoveConfig> all = forms({.offset = bytes == 1 ? Type::u64 : Type::u32, .item_bytes = bytes});
  for (IntervalMoveConfig& config : all)
    if (bytes == 1 ? !config.gather : !config.scatter) config.by = IntervalsBy::offsets;
  return all;
}

/// How many outputs a workgroup's segment has, in items.
uint64_t segment_items(const IntervalMove& move, const IntervalMoveConfig& config) {
  const uint64_t outputs = move.segment_outputs();
  return config.gather && config.scatter ? std::max<uint64_t>(1, outputs * 16 / config.item_bytes) : outputs;
}

/// Intervals that may overlap at the source, and do not at the destination; now and then one out of range.
FuzzSubject subject_of(const IntervalMoveConfig& given, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const IntervalMoveConfig& config, Draws& draw) {
    const uint64_t n = draw.count(create<IntervalMove>(backend, config).tile_intervals()), bytes = config.item_bytes;
    Intervals intervals{drawn_lengths(draw, n, draw.count(1 + 60'000 / bytes), 100'000 / bytes)};
    const Counts& counts = intervals.counts;
    IntervalOptions options = drawn_interval_options(draw, n, bytes, bytes);
    const uint64_t total = total_of(std::span(counts).first(obeyed(options.device_count, n)));
    // Of what there is no room for, some may be moved between offsets.
    options.max_output = config.gather && config.scatter ? total + draw.below(100) : draw.below(total + 2000);
    intervals.sources = n == 0 ? 0 : *std::ranges::max_element(counts) + draw.below(5000);
    uint64_t& end = intervals.destinations;
    for (const uint64_t count : counts) {
      const bool is_bad = draw.below(1000) == 0;
      const uint64_t room = intervals.sources - count + 1;
      if (config.gather) intervals.gather.push_back(is_bad ? room : draw.below(room));
      end += draw.below(3);
      if (config.scatter) intervals.scatter.push_back(end);
      end += count;
    }
    // From the last on to the first, so that neighbours in the table are none in memory.
    if (config.scatter && draw.one_in(2))
      for (uint64_t i = 0; i < n; ++i) intervals.scatter[i] = end - intervals.scatter[i] - counts[i];
    if (config.scatter && n != 0 && draw.one_in(8)) intervals.scatter[draw.below(n)] = end + 1;
    check_move(backend, config, intervals, options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("interval_move", [] {
  return std::vector{
      subject_of({.item_bytes = 1}),
      subject_of({.by = IntervalsBy::offsets, .offset = Type::u64, .item_bytes = 12}, "move.vectors=2"),
      subject_of({.count = Type::u64, .item_bytes = 4, .scatter = false}, "move.rows=1,move.groups=3"),
      subject_of({.item_bytes = 2, .gather = false}),
  };
});

}  // namespace

TEST_SUITE("interval_move") {
  TEST_CASE("the published example: intervals of a counting input, gathered and scattered") {
    Intervals intervals{{3, 9, 1, 9, 8, 5, 10, 2, 5, 2, 8, 6, 5, 2, 4, 0, 8, 2, 5, 6},
                        {75, 86, 17, 2, 67, 24, 37, 11, 95, 35, 52, 18, 47, 0, 13, 75, 78, 60, 62, 29},
                        {10, 80, 99, 27, 41, 71, 15, 0, 36, 13, 89, 49, 66, 97, 76, 76, 2, 25, 61, 55}};
    intervals.sources = intervals.destinations = 100;
    std::vector<uint32_t> counting(100);
    std::iota(counting.begin(), counting.end(), 0);
    const auto bytes = std::as_bytes(std::span(counting));
    for (Backend* backend : every_backend())
      for (const IntervalsBy by : {IntervalsBy::counts, IntervalsBy::offsets}) {
        const IntervalMoveConfig config{.by = by};
        const auto output =
            items_of<uint32_t>(check_move(*backend, config, intervals, {.input = {bytes.begin(), bytes.end()}}));
        REQUIRE(output.size() == 100);
        CHECK(std::vector(output.begin(), output.begin() + 15) ==
              std::vector<uint32_t>{11, 12, 78, 79, 80, 81, 82, 83, 84, 85, 75, 76, 77, 35, 36});
        CHECK(output[99] == 17);
      }
  }

  TEST_CASE("items of every size in every form, from counts and from offsets, of both types [forms]") {
    uint32_t combination = 0;
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u, 256u})
        for (const IntervalMoveConfig& form : forms({.item_bytes = bytes})) {
          ++combination;
          if (backend->is_emulated() && combination % 3 != 0) continue;
          if (bytes > 4 && combination % 2 == 0) continue;
          IntervalMoveConfig config = form;
          config.by = combination % 2 == 0 ? IntervalsBy::counts : IntervalsBy::offsets;
          config.count = combination % 3 == 0 ? Type::u64 : Type::u32;
          config.offset = combination % 4 < 2 ? Type::u64 : Type::u32;
          const IntervalMove& move = create<IntervalMove>(*backend, config);
          check_move(*backend, config, intervals_of(config, mixed_counts(move.tile_intervals() + 77, bytes)));
          check_move(*backend, config, intervals_of(config, {3, 3 * segment_items(move, config) + 11, 0, 7}));
        }
  }

  TEST_CASE("every edge of intervals and of items, in every form of bytes and of words [widths]") {
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {1u, 4u})
        for (const IntervalMoveConfig& config : forms({.item_bytes = bytes})) {
          if (backend->is_emulated() && bytes == 4 && !config.gather) continue;
          const IntervalMove& move = create<IntervalMove>(*backend, config);
          for (const uint64_t number : edges(*backend, move.tile_intervals(), 2))
            check_move(*backend, config, intervals_of(config, random_counts(number, 7)));
          const uint64_t segment = segment_items(move, config);
          for (const uint64_t total : around({0, 16, segment, 2 * segment}))
            check_move(*backend, config, intervals_of(config, {total / 2, total - total / 2}));
        }
  }

  TEST_CASE("bytes from any address to any other, of every short length") {
    for (Backend* backend : every_backend())
      for (const IntervalMoveConfig& config : forms({.item_bytes = 1})) {
        Counts counts(16 * 53);
        for (uint64_t i = 0; i < counts.size(); ++i) counts[i] = i % 53;
        for (VkDeviceSize i = 0; i < 4; ++i)
          check_move(*backend, config, intervals_of(config, counts, 19, i),
                     {.input_misalignment = 5 * i % 16, .output_misalignment = (7 * i + 3) % 16});
        // As allocators place them.
        Intervals aligned{random_counts(400, 200)};
        for (uint64_t i = 0; i < 400; ++i) aligned.gather.push_back(256 * ((i * 7) % 400));
        for (uint64_t i = 0; i < 400; ++i) aligned.scatter.push_back(256 * ((i * 11) % 400));
        aligned.sources = aligned.destinations = 256 * 400;
        check_move(*backend, config, aligned);
      }
  }

  TEST_CASE("intervals of any distribution") {
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {1u, 4u}) {
        const IntervalMoveConfig config{.item_bytes = bytes};
        const IntervalMove& move = create<IntervalMove>(*backend, config);
        const uint64_t segment = segment_items(move, config);
        const uint64_t tile = move.tile_intervals();
        Counts sparse(5 * tile, 0);
        sparse[3 * tile + 9] = segment + 5;
        check_move(*backend, config, intervals_of(config, sparse));
        Counts half = random_counts(2 * tile, 9);
        half[tile / 3] = total_of(half);
        check_move(*backend, config, intervals_of(config, half));
        check_move(*backend, config, intervals_of(config, Counts(3 * tile, 0)));
        check_move(*backend, config, intervals_of(config, Counts(2 * tile + 1, 1), 0));
      }
  }

  TEST_CASE("arrays begin at any multiple of their alignment") {
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {2u, 8u}) {
        IntervalMoveConfig config{.item_bytes = bytes, .scatter = bytes == 2};
        if (bytes == 8) config.offset = Type::u64;
        const VkDeviceSize step = std::min(bytes, 4u);
        for (VkDeviceSize output = 0; output < 16; output += 2 * step)
          check_move(
              *backend, config,
              intervals_of(config, mixed_counts(create<IntervalMove>(*backend, config).tile_intervals() + 40, output)),
              {.input_misalignment = (3 * output + step) % 16 / step * step,
               .counts_misalignment = 4 * (output / step % 4),
               .output_misalignment = output,
               .other_misalignment = 4 * ((output / step + 1) % 4)});
      }
  }

  TEST_CASE("intervals out of range are not moved, and the first is reported [bounds]") {
    const ScopedTuning overrides(kOnePass);
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {1u, 4u})
        for (const IntervalMoveConfig& config : forms_in_any_passes(bytes)) {
          if (backend->is_emulated() && bytes == 1 && !config.scatter) continue;
          const IntervalMove& move = create<IntervalMove>(*backend, config);
          const uint64_t number = 2 * move.tile_intervals() + 9;
          Counts counts = mixed_counts(number, 4);
          counts[number / 2] = segment_items(move, config) + 40;
          const Intervals sound = intervals_of(config, counts);
          for (const uint64_t bad : {uint64_t{0}, number / 2, number - 1}) {
            Intervals intervals = sound;
            intervals.counts[bad] = std::max<uint64_t>(1, intervals.counts[bad]);
            Counts& offsets = config.gather ? intervals.gather : intervals.scatter;
            const uint64_t items = config.gather ? intervals.sources : intervals.destinations;
            // By one item, and by as much as can be; after it another one, and an empty one, which is none.
            offsets[bad] = items - intervals.counts[bad] + 1;
            check_move(*backend, config, intervals);
            offsets[bad] = config.offset == Type::u64 ? ~uint64_t{0} : ~uint32_t{0};
            if (bad + 2 < number) {
              offsets[bad + 1] = items;
              intervals.counts[bad + 1] = 2;
              offsets[bad + 2] = items + 100;
              intervals.counts[bad + 2] = 0;
            }
            check_move(*backend, config, intervals);
          }
        }
  }

  TEST_CASE("items that there is no room for are reported, and nothing goes past a packed side [bounds]") {
    const ScopedTuning overrides(kOnePass);
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {1u, 4u})
        for (const IntervalMoveConfig& config : forms_in_any_passes(bytes)) {
          if (backend->is_emulated() && bytes == 1) continue;
          const Intervals intervals =
              intervals_of(config, mixed_counts(create<IntervalMove>(*backend, config).tile_intervals() + 13, 5));
          const uint64_t total = total_of(intervals.counts);
          for (const uint64_t room : {uint64_t{0}, uint64_t{1}, total / 2, total - 1, total + 9})
            check_move(*backend, config, intervals, {.max_output = room});
        }
  }

  TEST_CASE("counts given by offsets that decrease touch no memory of others") {
    const uint64_t number = 1000, items = 5000;
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {1u, 4u})
        for (IntervalMoveConfig config : forms({.by = IntervalsBy::offsets, .item_bytes = bytes})) {
          config.offset = bytes == 1 ? Type::u64 : Type::u32;
          if (config.gather && (config.scatter || bytes == 1)) continue;
          for (const uint64_t below : {uint64_t{40}, items, uint64_t{~0u}}) {
            if (backend->is_emulated() && below != items) continue;
            const IntervalMove& move = create<IntervalMove>(*backend, config);
            Counts offsets(number + 1), positions(number);
            for (uint64_t i = 0; i <= number; ++i) offsets[i] = random_word(below, i) % below;
            for (uint64_t i = 0; i < number; ++i) positions[i] = random_word(3, i) % items;
            if (below == items) std::ranges::sort(offsets, std::greater{});
            PrimitiveCall call(backend->gpu());
            const auto output = [&](const char* name, uint64_t size) {
              call.output(name, size);
              return call.expect_any(name, size);
            };
            const auto given = [&](const char* name, bool is_wanted) {
              return is_wanted ? call.input(name, bytes_of_lengths(positions, config.offset)) : BufferRange{};
            };
            const IntervalMoveArgs args{call.input("input", Bytes(items * bytes, std::byte{7})),
                                        call.input("counts", bytes_of_lengths(offsets, Type::u32)),
                                        given("gather", config.gather),
                                        given("scatter", config.scatter),
                                        output("output", items * bytes),
                                        output("total", 8),
                                        output("status", 8),
                                        call.scratch(move.scratch_size(number)),
                                        number,
                                        items};
            CHECK(call.wrong(move, args) == "");
            // Of whole items of the input, or as it was.
            const Bytes& found = call.found("output");
            CHECK(std::ranges::count(found, std::byte{7}) + std::ranges::count(found, std::byte{0xdb}) ==
                  static_cast<std::ptrdiff_t>(found.size()));
          }
        }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum [bounds]") {
    const ScopedTuning overrides(kOnePass);
    for (Backend* backend : every_backend())
      for (const IntervalMoveConfig& config : forms_in_any_passes(1)) {
        if (backend->is_emulated() && !config.scatter) continue;
        const uint64_t maximum = 2 * create<IntervalMove>(*backend, config).tile_intervals() + 11;
        const Intervals intervals = intervals_of(config, mixed_counts(maximum, 3));
        for (const uint64_t value : {uint64_t{0}, uint64_t{1}, maximum / 2, maximum, maximum + 1, ~uint64_t{0}})
          check_move(*backend, config, intervals,
                     {.max_output = total_of(intervals.counts), .device_count = DeviceCount{value, 8}});
      }
  }

  TEST_CASE("counts of any size are no address") {
    const IntervalMoveConfig config{.count = Type::u64, .offset = Type::u64, .item_bytes = 1};
    for (Backend* backend : every_backend()) {
      Intervals intervals = intervals_of(config, {5, 9, 30, 2, 700});
      for (const uint64_t count : {~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 40}) {
        intervals.counts[2] = count;
        check_move(*backend, config, intervals, {.max_output = 1000});
      }
    }
  }

  TEST_CASE("results do not depend on the tuning, nor on what lay in scratch [tuning]") {
    for (const uint32_t bytes : {1u, 12u}) {
      const IntervalMoveConfig config{.item_bytes = bytes};
      const Intervals intervals = intervals_of(config, mixed_counts(3000, 8));
      const auto plain = check_move(first_backend(), config, intervals);
      const ScopedTuning overrides("move.workgroup=256,move.rows=8,move.vectors=2");
      CHECK(check_move(first_backend(), config, intervals) == plain);
    }
  }

  TEST_CASE("configurations that make no sense are refused [refusal]") {
    const Context& context = first_backend().context();
    const auto message = [&](const IntervalMoveConfig& config) {
      return IntervalMove::create(context, config).error().message;
    };
    for (const uint32_t bytes : {0u, 3u, 6u, 258u, 260u})
      CHECK(message({.item_bytes = bytes}) ==
            "IntervalMove: items have 1, 2, or a multiple of 4 bytes up to 256, not " + std::to_string(bytes));
    CHECK(message({.count = Type::i32}) == "IntervalMove: counts are u32 or u64, not i32");
    CHECK(message({.offset = Type::f32}) == "IntervalMove: offsets are u32 or u64, not f32");
    CHECK(message({.gather = false, .scatter = false}) == "IntervalMove: neither gathers nor scatters");
  }
}

TEST_SUITE("refusal") {
  TEST_CASE("IntervalMove refuses arguments that break a precondition, and records nothing [refusal]") {
    RefusalTest<IntervalMove> test;
    test.check({{"count", "is more than 2^32 - 2", [](auto& a) { a.count = uint64_t{1} << 32; }},
                {"max_output", "is more than 2^30 tiles hold", [](auto& a) { a.max_output = uint64_t{1} << 60; }}});
  }
}

}  // namespace weft::test::interval_move_tests
