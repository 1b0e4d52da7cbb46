// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "interval/interval_expand_calls.hpp"
#include "support/intervals.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

// Of counts and values of up to 16 bytes, RunLengthDecode's tests hold for IntervalExpand
// too: the two share all kernels.
namespace weft::test::interval_expand_tests {
namespace {

/// Expands once and compares all that is written with the CPU's. Returns the output.
Bytes check_expand(Backend& backend, const IntervalExpandConfig& config, const Counts& counts,
                   const IntervalOptions& options = {}) {
  const IntervalExpand& expand = create<IntervalExpand>(backend, config);
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  IntervalCall<IntervalExpandArgs> call(backend.gpu(), expand, counts, config.by, config.count, options);
  const Bytes values =
      options.input.empty() ? random_bytes(counts.size() * config.value_bytes, counts.size()) : options.input;
  call.args.values = call.input("values", values, options.input_misalignment);
  call.output("output", call.max_output * config.value_bytes, options.output_misalignment);
  call.args.output =
      call.expect("output", decode_of(values, config.value_bytes, call.looked_at, call.max_output), config.value_bytes);
  call.check(expand);
  return call.found("output");
}

}  // namespace

TEST_SUITE("interval_expand") {
  TEST_CASE("the published example: Fibonacci numbers, each as often as its count says") {
    const Counts counts = {2, 5, 7, 16, 0, 1, 0, 0, 14, 10, 3, 14, 2, 1, 11, 2, 1, 0, 5, 6};
    std::vector<uint32_t> fibonacci = {1, 1};
    while (fibonacci.size() < counts.size())
      fibonacci.push_back(fibonacci[fibonacci.size() - 1] + fibonacci[fibonacci.size() - 2]);
    REQUIRE(fibonacci.back() == 6765);
    const auto bytes = std::as_bytes(std::span(fibonacci));
    for (Backend* backend : every_backend())
      for (const IntervalsBy by : {IntervalsBy::counts, IntervalsBy::offsets}) {
        const auto output = items_of<uint32_t>(
            check_expand(*backend, {by, Type::u32, 4}, counts, {.input = {bytes.begin(), bytes.end()}}));
        REQUIRE(output.size() == 100);
        CHECK(std::vector(output.begin(), output.begin() + 15) ==
              std::vector<uint32_t>{1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3});
        CHECK(std::vector(output.end() - 7, output.end()) ==
              std::vector<uint32_t>{4181, 6765, 6765, 6765, 6765, 6765, 6765});
      }
  }

  TEST_CASE("values of every size, from counts and from offsets of both types [forms]") {
    uint32_t combination = 0;
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u, 20u, 48u, 256u}) {
        const IntervalExpandConfig config{++combination % 2 == 0 ? IntervalsBy::counts : IntervalsBy::offsets,
                                          combination % 3 == 0 ? Type::u64 : Type::u32, bytes};
        if (backend->is_emulated() && bytes != 12) continue;
        const IntervalExpand& expand = create<IntervalExpand>(*backend, config);
        check_expand(*backend, config, mixed_counts(expand.tile_intervals() + 77, bytes));
        check_expand(*backend, config, Counts(expand.tile_intervals() + 3, 1));
        check_expand(*backend, config, {3, 3 * expand.segment_outputs() + 11, 0, 7});
      }
  }

  TEST_CASE("every edge of offsets, of structs and of words [widths]") {
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {4u, 12u}) {
        const IntervalExpandConfig config{IntervalsBy::offsets, Type::u32, bytes};
        const IntervalExpand& expand = create<IntervalExpand>(*backend, config);
        for (const uint64_t intervals : edges(*backend, expand.tile_intervals(), 4))
          check_expand(*backend, config, random_counts(intervals, 7));
        for (const uint64_t total : around({0, 32, expand.segment_outputs(), 2 * expand.segment_outputs()}))
          check_expand(*backend, config, {total / 2, total - total / 2});
      }
  }

  TEST_CASE("structs that do not fit are left out") {
    const IntervalExpandConfig config{IntervalsBy::counts, Type::u32, 12};
    for (Backend* backend : every_backend()) {
      const Counts counts = mixed_counts(create<IntervalExpand>(*backend, config).tile_intervals() + 13, 5);
      const uint64_t total = total_of(counts);
      for (const uint64_t room : {uint64_t{0}, uint64_t{1}, total / 2, total - 1, total + 9})
        check_expand(*backend, config, counts, {.max_output = room});
    }
  }

  TEST_CASE("structs, values and offsets begin at any multiple of their alignment") {
    for (Backend* backend : every_backend())
      for (const uint32_t bytes : {2u, 12u, 16u}) {
        if (backend->is_emulated() && bytes != 12) continue;
        const IntervalExpandConfig config{IntervalsBy::offsets, bytes == 2 ? Type::u64 : Type::u32, bytes};
        const VkDeviceSize step = std::min(bytes, 4u);
        for (VkDeviceSize output = 0; output < 16; output += step)
          check_expand(*backend, config,
                       mixed_counts(create<IntervalExpand>(*backend, config).tile_intervals() + 40, output),
                       {.input_misalignment = (7 * output + step) % 16 / step * step,
                        .counts_misalignment = 4 * (output / step % 4),
                        .output_misalignment = output});
      }
  }

  TEST_CASE("a count of offsets on the device is obeyed, and never exceeds its maximum") {
    const IntervalExpandConfig config{IntervalsBy::offsets, Type::u32, 12};
    for (Backend* backend : every_backend()) {
      const uint64_t maximum = 2 * create<IntervalExpand>(*backend, config).tile_intervals() + 11;
      const Counts counts = mixed_counts(maximum, 3);
      for (const uint64_t value : {uint64_t{0}, uint64_t{1}, maximum / 2, maximum, maximum + 1, ~uint64_t{0}})
        check_expand(*backend, config, counts, {.max_output = total_of(counts), .device_count = DeviceCount{value, 8}});
    }
  }

  TEST_CASE("results do not depend on the tuning, nor on what lay in output and scratch [tuning]") {
    const IntervalExpandConfig config{IntervalsBy::counts, Type::u32, 20};
    const Counts counts = mixed_counts(3000, 8);
    const auto plain = check_expand(first_backend(), config, counts, {.dirt = 0x00});
    const ScopedTuning overrides("decode.workgroup=256,decode.rows=8,decode.vectors=2");
    CHECK(check_expand(first_backend(), config, counts, {.dirt = 0xff}) == plain);
  }

  TEST_CASE("calls whose intervals are short may have other tiles than those whose intervals are long") {
    for (const char* tuning : {"decode.short_vectors=2", "decode.vectors=2,decode.short_vectors=1"}) {
      const ScopedTuning overrides(tuning);
      const IntervalExpandConfig config{IntervalsBy::counts, Type::u32, 4};
      const uint64_t tile = create<IntervalExpand>(first_backend(), config).tile_intervals();
      for (const uint64_t intervals : {uint64_t{1}, tile, tile + 1, 2 * tile, 4 * tile + 3})
        for (const uint64_t longest : {5, 40}) {
          Counts counts(intervals);
          for (uint64_t i = 0; i < intervals; ++i) counts[i] = (i * 7919) % (longest + 1);
          check_expand(first_backend(), config, counts);
          check_expand(first_backend(), config, counts, {.max_output = total_of(counts) / 2});
        }
    }
  }

  TEST_CASE("configurations that make no sense are refused [refusal]") {
    const Context& context = first_backend().context();
    for (const uint32_t bytes : {0u, 3u, 6u, 258u, 260u})
      CHECK(IntervalExpand::create(context, {IntervalsBy::counts, Type::u32, bytes}).error().message ==
            "IntervalExpand: values have 1, 2, or a multiple of 4 bytes up to 256, not " + std::to_string(bytes));
    CHECK(IntervalExpand::create(context, {IntervalsBy::counts, Type::i32, 4}).error().message ==
          "IntervalExpand: counts are u32 or u64, not i32");
  }
}

TEST_SUITE("refusal") {
  TEST_CASE("IntervalExpand refuses arguments that break a precondition, and records nothing [refusal]") {
    RefusalTest<IntervalExpand> test;
    test.check({{"output", "is too small", [](auto& a) { a.max_output += 1; }},
                {"count", "is more than 2^30 tiles hold", [](auto& a) { a.count = uint64_t{1} << 60; }},
                {"max_output", "is more than 2^30 tiles hold", [](auto& a) { a.max_output = uint64_t{1} << 60; }}});
  }
}

}  // namespace weft::test::interval_expand_tests

// Faults that these tests catch: tests/mutants.
// why: of a value of several words the first is repeated
// file: shaders/interval/interval_expand.comp
// find: target.at[w] = values.at[value * kValueWords + (w - item * kValueWords)];
// with: target.at[w] = values.at[value * kValueWords];
// run: native --test-suite=interval_expand --test-case=*[forms]*
