// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/load_balance_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "interval/load_balance_search_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/intervals.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test::load_balance_search_tests {
namespace {

LoadBalanceSearchConfig with_ranks(IntervalsBy by = IntervalsBy::counts, Type count = Type::u32,
                                   Type index = Type::u32) {
  return {by, count, index, true, true};
}

const LoadBalanceSearch& create(Backend& backend, const LoadBalanceSearchConfig& config = with_ranks()) {
  return create<LoadBalanceSearch>(backend, config);
}

/// The source and the rank of each output, up to `room` of them.
struct Owners {
  Counts sources, ranks;
};
Owners owners_of(std::span<const uint64_t> counts, uint64_t room) {
  Owners owners;
  for (uint64_t s = 0; s < counts.size(); ++s)
    for (uint64_t rank = 0; rank < counts[s] && owners.sources.size() < room; ++rank) {
      owners.sources.push_back(s);
      owners.ranks.push_back(rank);
    }
  return owners;
}

/// Searches once and compares all that is written with the CPU's. Returns the sources.
Bytes check_search(Backend& backend, const LoadBalanceSearch& search, const LoadBalanceSearchConfig& config,
                   const Counts& counts, const IntervalOptions& options = {}) {
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  IntervalCall<LoadBalanceSearchArgs> call(backend.gpu(), search, counts, config.by, config.count, options);
  const Owners owners = owners_of(call.looked_at, call.max_output);
  const uint32_t index_bytes = size_of(config.index);
  const auto output = [&](const char* name, VkDeviceSize misalignment, const Counts& indices) {
    call.output(name, call.max_output * index_bytes, misalignment);
    return call.expect(name, bytes_of_lengths(indices, config.index), index_bytes);
  };
  if (config.sources) call.args.sources = output("sources", options.output_misalignment, owners.sources);
  if (config.ranks) call.args.ranks = output("ranks", options.other_misalignment, owners.ranks);
  call.check(search);
  return config.sources ? call.found("sources") : Bytes{};
}

/// What is written from offsets of any contents; nothing else may be.
struct Found {
  Bytes sources, ranks;
};
Found search_offsets(Backend& backend, const LoadBalanceSearch& search, const Counts& offsets, Type type,
                     uint64_t max_output) {
  const uint64_t number = offsets.size() - 1;
  PrimitiveCall call(backend.gpu());
  const auto output = [&](const char* name, uint64_t bytes) {
    call.output(name, bytes);
    return call.expect_any(name, bytes);
  };
  const LoadBalanceSearchArgs args{call.input("counts", bytes_of_lengths(offsets, type)),
                                   output("sources", 4 * max_output),
                                   output("ranks", 4 * max_output),
                                   output("total", 8),
                                   output("status", 4),
                                   call.scratch(search.scratch_size(number)),
                                   number,
                                   max_output};
  CHECK(call.wrong(search, args) == "");
  return {call.found("sources"), call.found("ranks")};
}

FuzzSubject subject_of(const LoadBalanceSearchConfig& given, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const LoadBalanceSearchConfig& config, Draws& draw) {
    const LoadBalanceSearch& search = create(backend, config);
    const uint64_t n = draw.count(search.tile_sources());
    const uint64_t most = config.by == IntervalsBy::offsets ? 100'000 : 0xffffffff;
    const Counts counts = drawn_lengths(draw, n, draw.count(search.segment_outputs()), most);
    IntervalOptions options = drawn_interval_options(draw, n, 4, 4);
    const uint64_t total = total_of(std::span(counts).first(obeyed(options.device_count, n)));
    options.max_output = draw.below(total > 1'000'000 ? 30'000 : total + 2000);
    check_search(backend, search, config, counts, options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("load_balance_search", [] {
  constexpr auto kOffsets = IntervalsBy::offsets;
  return std::vector{
      subject_of(with_ranks()),
      subject_of(with_ranks(kOffsets, Type::u64), "load_balance.direct_intervals=50000"),
      subject_of(with_ranks(kOffsets, Type::u64, Type::u64), "load_balance.rows=4,load_balance.vectors=2"),
  };
});

}  // namespace

TEST_SUITE("load_balance_search") {
  TEST_CASE("the published example of interval expansion finds each output's source") {
    const Counts counts = {2, 5, 7, 16, 0, 1, 0, 0, 14, 10, 3, 14, 2, 1, 11, 2, 1, 0, 5, 6};
    for (Backend* backend : every_backend())
      for (const IntervalsBy by : {IntervalsBy::counts, IntervalsBy::offsets}) {
        const auto config = with_ranks(by);
        const auto sources = items_of<uint32_t>(check_search(*backend, create(*backend, config), config, counts));
        REQUIRE(sources.size() == 100);
        CHECK(std::vector(sources.begin(), sources.begin() + 16) ==
              std::vector<uint32_t>{0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3});
        CHECK(sources[30] == 5);
        CHECK(sources[31] == 8);
        CHECK(sources[99] == 19);
      }
  }

  TEST_CASE("every edge of sources [widths]") {
    for (Backend* backend : every_backend()) {
      const LoadBalanceSearch& search = create(*backend);
      for (const uint64_t sources : edges(*backend, search.tile_sources(), 4))
        check_search(*backend, search, with_ranks(), random_counts(sources, 7));
    }
  }

  TEST_CASE("every edge of offsets") {
    const auto config = with_ranks(IntervalsBy::offsets);
    for (Backend* backend : every_backend()) {
      const LoadBalanceSearch& search = create(*backend, config);
      for (const uint64_t sources : edges(*backend, search.tile_sources(), 4))
        check_search(*backend, search, config, random_counts(sources, 7));
    }
  }

  TEST_CASE("every edge of outputs, of one source and of two [widths]") {
    for (Backend* backend : every_backend()) {
      const LoadBalanceSearch& search = create(*backend);
      const uint64_t segment = search.segment_outputs();
      for (const uint64_t total : around({0, 4, 32, segment / 2, segment, 2 * segment, 5 * segment})) {
        check_search(*backend, search, with_ranks(), {total});
        check_search(*backend, search, with_ranks(), {total / 2, total - total / 2});
      }
    }
  }

  TEST_CASE("counts, offsets and indices of both types, sources and ranks together and alone [forms]") {
    uint32_t combination = 0;
    for (Backend* backend : every_backend())
      for (const IntervalsBy by : {IntervalsBy::counts, IntervalsBy::offsets})
        for (const Type count : {Type::u32, Type::u64})
          for (const Type index : {Type::u32, Type::u64}) {
            ++combination;
            if (backend->is_emulated() && combination % 3 != 0) continue;
            const LoadBalanceSearchConfig config{by, count, index, combination % 4 != 1, combination % 4 != 2};
            const LoadBalanceSearch& search = create(*backend, config);
            check_search(*backend, search, config, mixed_counts(3 * search.tile_sources() + 77, combination));
            check_search(*backend, search, config, Counts(search.tile_sources() + 3, 1));
            // Ranks that go on over segments.
            check_search(*backend, search, config, {3, 5 * search.segment_outputs() + 11, 0, 7});
          }
  }

  TEST_CASE("sources without outputs may lie anywhere") {
    for (Backend* backend : every_backend()) {
      const LoadBalanceSearch& search = create(*backend);
      const uint64_t tile = search.tile_sources();
      check_search(*backend, search, with_ranks(), Counts(5 * tile + 1, 0), {.max_output = 100});
      for (const uint64_t at : around({tile, 3 * tile, 5 * tile})) {
        Counts one(5 * tile + 2, 0);
        one[at] = 2 * search.segment_outputs() + 3;
        check_search(*backend, search, with_ranks(), one);
      }
      Counts gap = mixed_counts(6 * tile, 4);
      std::fill_n(gap.begin() + static_cast<std::ptrdiff_t>(3 * tile - 5), 2 * tile + 9, 0);
      check_search(*backend, search, with_ranks(), gap);
    }
  }

  TEST_CASE("one source with ten million outputs, and millions of sources without [huge]") {
    Backend& backend = first_backend();
    const LoadBalanceSearch& search = create(backend);
    Counts counts = random_counts(3000, 5);
    counts[1234] = 10'000'000;
    check_search(backend, search, with_ranks(), counts);
    counts.assign(3'000'001, 0);
    counts.front() = 50'000;
    counts.back() = 50'000;
    check_search(backend, search, with_ranks(), counts);
  }

  TEST_CASE("what does not fit is left out, the total reported, and the status set") {
    for (Backend* backend : every_backend()) {
      const LoadBalanceSearch& search = create(*backend);
      const Counts counts = mixed_counts(2 * search.tile_sources() + 13, 5);
      const uint64_t total = total_of(counts);
      for (const uint64_t room : {uint64_t{0}, uint64_t{1}, total / 2, total - 1, total, total + 1, total + 9000})
        check_search(*backend, search, with_ranks(), counts, {.max_output = room});
      check_search(*backend, search, with_ranks(), Counts(search.tile_sources() + 5, 0xffffffff),
                   {.max_output = 3 * search.segment_outputs() + 1});
    }
  }

  TEST_CASE("counts of 64 bits add up to 2^64 - 1 at most, and ranks go on above 2^32") {
    const auto config = with_ranks(IntervalsBy::counts, Type::u64, Type::u64);
    for (Backend* backend : every_backend()) {
      const LoadBalanceSearch& search = create(*backend, config);
      const uint64_t room = 2 * search.segment_outputs() + 7;
      for (const uint64_t count : {uint64_t{1} << 32, uint64_t{1} << 63, ~uint64_t{0}}) {
        Counts counts = random_counts(2 * search.tile_sources() + 2, 3);
        counts[5] = count;
        check_search(*backend, search, config, counts, {.max_output = room});
      }
    }
  }

  TEST_CASE("few intervals given by offsets take one pass, however their outputs are distributed") {
    const ScopedTuning overrides("load_balance.direct_intervals=20000");
    uint32_t combination = 0;
    for (Backend* backend : every_backend())
      for (const Type type : {Type::u32, Type::u64}) {
        if (backend->is_emulated() && type == Type::u64) continue;
        const auto config = with_ranks(IntervalsBy::offsets, type, type);
        const LoadBalanceSearch& search = create(*backend, config);
        const uint64_t tile = search.tile_sources(), segment = search.segment_outputs();
        Counts ones(4 * tile, 1), late(3 * tile + 7, 0), early(3 * tile + 7, 0), gaps(6 * tile + 1, 0);
        late.back() = 3 * segment + 5;
        early.front() = 3 * segment + 5;
        for (uint64_t i = 0; i < gaps.size(); i += tile - 3) gaps[i] = segment / 2 + i;
        for (const uint64_t none : {uint64_t{0}, uint64_t{1}, 5 * tile + 1})
          check_search(*backend, search, config, Counts(none, 0), {.max_output = 2 * segment});
        for (const Counts& counts :
             {Counts{}, Counts{0}, Counts{5 * segment}, Counts(5 * tile + 1, 0), Counts(17, segment / 4 - 1), ones,
              late, early, gaps, mixed_counts(5 * tile + 77, 11), random_counts(300, 700)}) {
          const uint64_t total = total_of(counts);
          check_search(*backend, search, config, counts, {.output_misalignment = 4 * (++combination % 4)});
          check_search(
              *backend, search, config, counts,
              {.max_output = total / 2 + total % 3 * segment,
               .device_count = DeviceCount{counts.size() - counts.size() / 3, combination % 2 == 0 ? 4u : 8u}});
        }
      }
  }

  TEST_CASE("as many intervals as take one pass, and one more [widths]") {
    for (Backend* backend : every_backend())
      for (const uint64_t most : {uint64_t{0}, uint64_t{1}, uint64_t{700}}) {
        const ScopedTuning overrides("load_balance.single_tiles=0,load_balance.direct_intervals=" +
                                     std::to_string(most));
        const auto config = with_ranks(IntervalsBy::offsets);
        for (const uint64_t sources : around({most}))
          check_search(*backend, create(*backend, config), config, random_counts(sources, 90));
      }
  }

  TEST_CASE("offsets of which the first is not 0 count from there on") {
    for (const char* tuning : {"load_balance.direct_intervals=0", "load_balance.direct_intervals=20000"}) {
      const ScopedTuning overrides(tuning);
      const auto config = with_ranks(IntervalsBy::offsets);
      Backend& backend = first_backend();
      Counts counts = mixed_counts(2000, 5), offsets = offsets_of(counts);
      for (uint64_t& offset : offsets) offset += 12345;
      const Found found = search_offsets(backend, create(backend, config), offsets, Type::u32, total_of(counts));
      const Owners owners = owners_of(counts, ~uint64_t{0});
      CHECK(found.sources == bytes_of_lengths(owners.sources, Type::u32));
      CHECK(found.ranks == bytes_of_lengths(owners.ranks, Type::u32));
    }
  }

  TEST_CASE("offsets that decrease touch no other memory, and many of them give no outputs there") {
    for (Backend* backend : every_backend())
      for (const Type count : {Type::u32, Type::u64}) {
        const auto config = with_ranks(IntervalsBy::offsets, count);
        const ScopedTuning overrides("load_balance.direct_intervals=1000");
        const LoadBalanceSearch& search = create(*backend, config);
        // One pass finds what it finds.
        for (const uint64_t below : {uint64_t{40}, uint64_t{2} * search.segment_outputs(), uint64_t{~0u}}) {
          Counts few(1001);
          for (uint64_t s = 0; s < few.size(); ++s) few[s] = random_word(below, s) % below;
          search_offsets(*backend, search, few, count, 5 * search.segment_outputs());
          std::ranges::sort(few, std::greater{});
          search_offsets(*backend, search, few, count, 5 * search.segment_outputs());
        }
        const uint64_t sources = 2 * search.tile_sources() + 5;
        REQUIRE(sources > 1000);
        Counts offsets(sources + 1), counts(sources);
        for (uint64_t s = 0; s <= sources; ++s) offsets[s] = random_word(9, s) % 40;
        for (uint64_t s = 0; s < sources; ++s) counts[s] = std::max(offsets[s + 1], offsets[s]) - offsets[s];
        const Owners owners = owners_of(counts, ~uint64_t{0});
        const Found found = search_offsets(*backend, search, offsets, count, owners.sources.size());
        CHECK(found.sources == bytes_of_lengths(owners.sources, Type::u32));
        CHECK(found.ranks == bytes_of_lengths(owners.ranks, Type::u32));
      }
  }

  TEST_CASE("counts, sources and ranks begin at any multiple of their alignment") {
    for (Backend* backend : every_backend())
      for (const Type index : {Type::u32, Type::u64}) {
        if (backend->is_emulated() && index == Type::u64) continue;
        const auto config =
            with_ranks(index == Type::u64 ? IntervalsBy::offsets : IntervalsBy::counts, Type::u32, index);
        const LoadBalanceSearch& search = create(*backend, config);
        for (VkDeviceSize sources = 0; sources < 16; sources += 4)
          for (VkDeviceSize ranks = 0; ranks < 16; ranks += 4)
            check_search(*backend, search, config, mixed_counts(search.tile_sources() + 40, sources + ranks),
                         {.counts_misalignment = (sources + 3 * ranks + 4) % 16,
                          .output_misalignment = sources,
                          .other_misalignment = ranks});
      }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (Backend* backend : every_backend())
      for (const IntervalsBy by : {IntervalsBy::counts, IntervalsBy::offsets}) {
        const auto config = with_ranks(by);
        const LoadBalanceSearch& search = create(*backend, config);
        const uint64_t maximum = 3 * search.tile_sources() + 11;
        const Counts counts = mixed_counts(maximum, 3);
        for (const DeviceCount& count : edge_counts(maximum)) {
          CAPTURE(count.value);
          check_search(*backend, search, config, counts, {.max_output = total_of(counts), .device_count = count});
        }
      }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning :
         {"load_balance.workgroup=256,load_balance.rows=8,load_balance.vectors=2,load_balance.direct_intervals=20000",
          "load_balance.workgroup=128,load_balance.rows=32,load_balance.groups=3,load_balance.direct_intervals=0"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend())
        for (const auto& config : {with_ranks(), with_ranks(IntervalsBy::offsets, Type::u64, Type::u64)}) {
          if (backend->is_emulated() && config.index == Type::u64) continue;
          const LoadBalanceSearch& search = create(*backend, config);
          check_search(*backend, search, config, mixed_counts(7 * search.tile_sources() + 5, 8));
        }
    }
  }

  TEST_CASE("equal calls give equal bits, whatever lay in outputs and scratch") {
    Backend& backend = first_backend();
    const LoadBalanceSearch& search = create(backend);
    const Counts counts = mixed_counts(4 * search.tile_sources() + 1, 6);
    CHECK(check_search(backend, search, with_ranks(), counts, {.dirt = 0x00}) ==
          check_search(backend, search, with_ranks(), counts, {.dirt = 0xff}));
  }

  TEST_CASE("scratch never shrinks as the count grows") {
    const LoadBalanceSearch& search = create(first_backend());
    check_scratch_grows([&](uint64_t n) { return search.scratch_size(n); }, ~uint64_t{0});
  }

  TEST_CASE("configurations that make no sense are refused [refusal]") {
    const Context& context = first_backend().context();
    CHECK(LoadBalanceSearch::create(context, {IntervalsBy::counts, Type::f32}).error().message ==
          "LoadBalanceSearch: counts are u32 or u64, not f32");
    CHECK(LoadBalanceSearch::create(context, {IntervalsBy::counts, Type::u32, Type::u16}).error().message ==
          "LoadBalanceSearch: sources and ranks are u32 or u64, not u16");
    CHECK(LoadBalanceSearch::create(context, {IntervalsBy::counts, Type::u32, Type::u32, false, false}).error().code ==
          ErrorCode::unsupported);
  }
}

TEST_SUITE("refusal") {
  TEST_CASE("LoadBalanceSearch takes one dispatch, two or three, by how many intervals there are") {
    const ScopedTuning overrides(
        "load_balance.direct_intervals=900,load_balance.direct_tiles=1,load_balance.single_tiles=2,"
        "load_balance.short_vectors=1");
    RecordingGpu recording;
    const uint64_t most = 3000;
    const Buffer input = recording.create(8 * (most + 1)), indices = recording.create(4000),
                 ranks = recording.create(4000), counts = recording.create(16);
    for (const IntervalsBy by : {IntervalsBy::counts, IntervalsBy::offsets}) {
      const Result<LoadBalanceSearch> search = LoadBalanceSearch::create(recording.context(), with_ranks(by));
      if (!search) FAIL(search.error().message);
      const Buffer scratch = recording.create(search->scratch_size(most));
      const uint64_t two_tiles = 2 * search->tile_sources();
      REQUIRE(recording.gpu().fill(input.range(), 0).ok());
      const bool direct = by == IntervalsBy::offsets;
      for (const auto& [number, dispatches] : {std::pair{uint64_t{0}, 1},
                                               {uint64_t{1}, 1},
                                               {two_tiles / 2, 1},
                                               {uint64_t{900}, direct ? 1 : 2},
                                               {uint64_t{901}, 2},
                                               {two_tiles, 2},
                                               {two_tiles + 1, 3}}) {
        CAPTURE(number);
        CHECK(!recording.record(*search,
                                LoadBalanceSearchArgs{input.range(), indices.range(), ranks.range(), counts.range(0, 8),
                                                      counts.range(8, 4), scratch.range(), number, 1000}));
        CHECK(recording.dispatches() == dispatches);
      }
    }
  }

  TEST_CASE("LoadBalanceSearch refuses arguments that break a precondition, and records nothing [refusal]") {
    RefusalTest<LoadBalanceSearch> test;
    test.check(
        {{"count", "is more than 2^30 tiles hold", [](auto& a) { a.count = uint64_t{1} << 60; }},
         {"count", "is more than a u32 can number", [](auto& a) { a.count = (uint64_t{1} << 32) + 1; }},
         {"max_output", "is more than a u32 can number", [](auto& a) { a.max_output = (uint64_t{1} << 32) + 1; }}});
  }
}

}  // namespace weft::test::load_balance_search_tests
