// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "interval/run_length_decode_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/intervals.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test::run_length_decode_tests {
namespace {

/// Decodes once and compares all that is written with the CPU's. Returns the output.
Bytes check_decode(Backend& backend, const RunLengthDecode& decode, const RunLengthDecodeConfig& config,
                   const Counts& lengths, const IntervalOptions& options = {}) {
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  IntervalCall<RunLengthDecodeArgs> call(backend.gpu(), decode, lengths, IntervalsBy::counts, config.length, options);
  const Bytes symbols = random_bytes(lengths.size() * config.symbol_bytes, lengths.size());
  call.args.symbols = call.input("symbols", symbols, options.input_misalignment);
  call.output("output", call.max_output * config.symbol_bytes, options.output_misalignment);
  call.args.output = call.expect("output", decode_of(symbols, config.symbol_bytes, call.looked_at, call.max_output),
                                 config.symbol_bytes);
  call.check(decode);
  return call.found("output");
}

FuzzSubject subject_of(const RunLengthDecodeConfig& given, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const RunLengthDecodeConfig& config, Draws& draw) {
    const RunLengthDecode& decode = create<RunLengthDecode>(backend, config);
    const uint64_t n = draw.count(decode.tile_runs());
    const uint64_t most = config.length == Type::u64 ? ~uint64_t{0} : 0xffffffff;
    const Counts lengths = drawn_lengths(draw, n, draw.count(decode.segment_outputs()), most);
    IntervalOptions options = drawn_interval_options(draw, n, config.symbol_bytes, config.symbol_bytes);
    const uint64_t total = total_of(std::span(lengths).first(obeyed(options.device_count, n)));
    if (total > 1'000'000)
      options.max_output = draw.below(30'000);
    else if (draw.one_in(2))
      options.max_output = draw.one_in(2) ? draw.below(total + 1) : total + draw.below(2000);
    check_decode(backend, decode, config, lengths, options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("run_length_decode", [] {
  return std::vector{
      subject_of({1, Type::u32}, "decode.direct_tiles=0"),
      subject_of({2, Type::u64}, "decode.workgroup=256,decode.rows=8,decode.vectors=2,decode.direct_tiles=32"),
      subject_of({16, Type::u32}, "decode.rows=1,decode.groups=3"),
  };
});

}  // namespace

TEST_SUITE("run_length_decode") {
  TEST_CASE("symbols are repeated as their lengths say, at every edge of runs [widths]") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = create<RunLengthDecode>(*backend);
      for (const uint64_t runs : edges(*backend, decode.tile_runs(), 4))
        check_decode(*backend, decode, {}, random_counts(runs, 7));
    }
  }

  TEST_CASE("totals at and around every edge of outputs are decoded whole [widths]") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = create<RunLengthDecode>(*backend);
      const uint64_t tile = decode.segment_outputs();
      for (const uint64_t total : around({0, 4, 32, tile / 2, tile, 2 * tile, 5 * tile})) {
        check_decode(*backend, decode, {}, {total});
        check_decode(*backend, decode, {}, {total / 2, total - total / 2});
      }
    }
  }

  TEST_CASE("symbols of every size and lengths of both types are decoded [types]") {
    uint32_t combination = 0;
    for (Backend* backend : every_backend())
      for (const uint32_t symbol_bytes : {1u, 2u, 4u, 8u, 16u})
        for (const Type length : {Type::u32, Type::u64}) {
          if (backend->is_emulated() && (symbol_bytes == 4) == (length == Type::u64)) continue;
          if (!takes_turn(combination++)) continue;
          const RunLengthDecodeConfig config{symbol_bytes, length};
          const RunLengthDecode& decode = create<RunLengthDecode>(*backend, config);
          check_decode(*backend, decode, config, mixed_counts(3 * decode.tile_runs() + 77, symbol_bytes));
          check_decode(*backend, decode, config, Counts(decode.tile_runs() + 3, 1));
        }
  }

  TEST_CASE("runs of no length may lie anywhere") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = create<RunLengthDecode>(*backend);
      const uint64_t tile = decode.tile_runs();
      check_decode(*backend, decode, {}, Counts(5 * tile + 1, 0));
      check_decode(*backend, decode, {}, Counts(5 * tile + 1, 0), {.max_output = 100});
      for (const uint64_t at : around({tile, 3 * tile, 5 * tile})) {
        Counts one_run(5 * tile + 2, 0);
        one_run[at] = 2 * decode.segment_outputs() + 3;
        check_decode(*backend, decode, {}, one_run);
      }
      Counts one_a_tile(9 * tile, 0);
      for (uint64_t t = 0; t < 9; ++t) one_a_tile[t * tile + 61 * t % tile] = 1;
      check_decode(*backend, decode, {}, one_a_tile);
      for (const uint64_t begin : {uint64_t{0}, tile, 3 * tile - 5}) {
        Counts gap = mixed_counts(6 * tile, begin);
        std::fill_n(gap.begin() + static_cast<std::ptrdiff_t>(begin), 2 * tile + 9, 0);
        check_decode(*backend, decode, {}, gap);
        std::ranges::reverse(gap);
        check_decode(*backend, decode, {}, gap);
      }
    }
  }

  TEST_CASE("runs of one symbol each are copied") {
    for (Backend* backend : every_backend())
      for (const uint32_t symbol_bytes : {1u, 4u}) {
        const RunLengthDecodeConfig config{symbol_bytes, Type::u32};
        const RunLengthDecode& decode = create<RunLengthDecode>(*backend, config);
        for (const uint64_t runs : around({decode.tile_runs(), decode.segment_outputs()}))
          check_decode(*backend, decode, config, Counts(runs, 1));
      }
  }

  TEST_CASE("one run of ten million symbols is spread over all tiles") {
    Backend& backend = first_backend();
    const RunLengthDecode& decode = create<RunLengthDecode>(backend);
    Counts lengths = random_counts(3000, 5);
    lengths[1234] = 10'000'000;
    check_decode(backend, decode, {}, lengths);
  }

  TEST_CASE("millions of empty runs cost no outputs") {
    Backend& backend = first_backend();
    const RunLengthDecode& decode = create<RunLengthDecode>(backend);
    Counts lengths(3'000'001, 0);
    lengths.back() = 100'000;
    check_decode(backend, decode, {}, lengths);
    std::swap(lengths.front(), lengths.back());
    check_decode(backend, decode, {}, lengths);
  }

  TEST_CASE("what does not fit is left out, the total reported, and the status set") {
    for (Backend* backend : every_backend())
      for (const uint32_t symbol_bytes : {1u, 4u, 16u}) {
        if (backend->is_emulated() && symbol_bytes == 16) continue;
        const RunLengthDecodeConfig config{symbol_bytes, Type::u32};
        const RunLengthDecode& decode = create<RunLengthDecode>(*backend, config);
        const Counts lengths = mixed_counts(2 * decode.tile_runs() + 13, 5);
        const uint64_t total = total_of(lengths);
        for (const uint64_t room : {uint64_t{0}, uint64_t{1}, total / 2, total - 1, total, total + 1, total + 9000}) {
          check_decode(*backend, decode, config, lengths, {.max_output = room});
        }
      }
  }

  TEST_CASE("totals above 2^32 are reported whole") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = create<RunLengthDecode>(*backend);
      const uint64_t tile = decode.tile_runs();
      Counts lengths(2 * tile + 5, 0xffffffff);
      check_decode(*backend, decode, {}, lengths, {.max_output = 3 * decode.segment_outputs() + 1});
      for (uint64_t r = 0; r < tile + 3; ++r) lengths[r] = r % 4;
      check_decode(*backend, decode, {}, lengths,
                   {.max_output = total_of(std::span<const uint64_t>(lengths).first(tile + 3)) + 5000});
    }
  }

  TEST_CASE("lengths of 64 bits add up to 2^64 - 1 at most") {
    const RunLengthDecodeConfig config{2, Type::u64};
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = create<RunLengthDecode>(*backend, config);
      const uint64_t tile = decode.tile_runs();
      const uint64_t room = 2 * decode.segment_outputs() + 7;
      for (const uint64_t length : {uint64_t{1} << 32, (uint64_t{1} << 32) + 1, uint64_t{1} << 48, uint64_t{1} << 63,
                                    ~uint64_t{0} - 4, ~uint64_t{0}})
        for (const uint64_t at : {uint64_t{0}, uint64_t{5}, tile - 1, 2 * tile + 1}) {
          Counts lengths = random_counts(2 * tile + 2, 3);
          lengths[at] = length;
          check_decode(*backend, decode, config, lengths, {.max_output = room});
        }
      check_decode(*backend, decode, config, Counts(3 * tile, ~uint64_t{0}), {.max_output = room});
      check_decode(*backend, decode, config, Counts(4 * tile, uint64_t{1} << 53), {.max_output = room});
      check_decode(*backend, decode, config, Counts(100, uint64_t{1} << 62), {.max_output = 0});
    }
  }

  TEST_CASE("symbols, lengths and output begin at any multiple of their alignment") {
    for (Backend* backend : every_backend())
      for (const uint32_t symbol_bytes : {1u, 2u, 4u, 8u, 16u}) {
        const uint32_t step = std::min(symbol_bytes, 4u);
        if (backend->is_emulated() && symbol_bytes > 2) continue;
        const RunLengthDecodeConfig config{symbol_bytes, symbol_bytes == 2 ? Type::u64 : Type::u32};
        const RunLengthDecode& decode = create<RunLengthDecode>(*backend, config);
        uint32_t turn = 0;
        for (VkDeviceSize output = 0; output < 16; output += step) {
          const VkDeviceSize symbols = (7 * output + step) % 16 / step * step;
          check_decode(
              *backend, decode, config, mixed_counts(decode.tile_runs() + 40, output),
              {.input_misalignment = symbols, .counts_misalignment = 4 * (++turn % 4), .output_misalignment = output});
          check_decode(*backend, decode, config, {output % 3, output % 4, 1}, {.output_misalignment = output});
        }
      }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = create<RunLengthDecode>(*backend);
      const uint64_t maximum = 3 * decode.tile_runs() + 11;
      const Counts lengths = mixed_counts(maximum, 3);
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(count.value);
        check_decode(*backend, decode, {}, lengths, {.max_output = total_of(lengths), .device_count = count});
      }
    }
  }

  TEST_CASE("tiles that every workgroup sums are decoded as others are") {
    for (Backend* backend : every_backend())
      for (const char* tuning : {"decode.direct_tiles=32", "decode.direct_tiles=1", "decode.direct_tiles=0"}) {
        const ScopedTuning overrides(tuning);
        const RunLengthDecode& decode = create<RunLengthDecode>(*backend);
        for (const uint64_t runs : around({decode.tile_runs(), 32 * decode.tile_runs()}))
          check_decode(*backend, decode, {}, mixed_counts(runs, 9), {.counts_misalignment = runs % 2 * 4});
      }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning :
         {"decode.workgroup=256,decode.rows=8,decode.vectors=2", "decode.rows=1,decode.groups=3",
          "decode.groups=1,decode.rows=3", "decode.workgroup=128,decode.rows=32,decode.vectors=2"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend())
        for (const RunLengthDecodeConfig& config :
             {RunLengthDecodeConfig{4, Type::u32}, RunLengthDecodeConfig{1, Type::u64}}) {
          const RunLengthDecode& decode = create<RunLengthDecode>(*backend, config);
          check_decode(*backend, decode, config, mixed_counts(7 * decode.tile_runs() + 5, 8));
          check_decode(*backend, decode, config, Counts(decode.tile_runs() + 5, 9));
        }
    }
  }

  TEST_CASE("more segments than a dispatch has workgroups along one axis are decoded whole [huge]") {
    // The smallest tiles there are.
    const ScopedTuning small_tiles("decode.workgroup=128,decode.rows=1");
    Backend& backend = first_backend();
    const RunLengthDecodeConfig config{16, Type::u32};
    const RunLengthDecode& decode = create<RunLengthDecode>(backend, config);
    const uint64_t groups = workgroups_along_x(backend);
    if (groups == 0) return;
    Counts lengths = random_counts(decode.tile_runs() * 2, 5);
    lengths[decode.tile_runs()] = (groups + 3) * decode.segment_outputs();
    check_decode(backend, decode, config, lengths);
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = create<RunLengthDecode>(*backend, {1, Type::u32});
      const Counts lengths = mixed_counts(5 * decode.tile_runs(), 21);
      CHECK(check_decode(*backend, decode, {1, Type::u32}, lengths, {.dirt = 0xff}) ==
            check_decode(*backend, decode, {1, Type::u32}, lengths, {.dirt = 0}));
    }
  }

  TEST_CASE("scratch grows with the runs and is never nothing") {
    const RunLengthDecode& decode = create<RunLengthDecode>(first_backend());
    check_scratch_grows([&](uint64_t n) { return decode.scratch_size(n); }, ~uint64_t{0});
  }

  TEST_CASE("other symbols and lengths are refused [refusal]") {
    for (const uint32_t symbol_bytes : {0u, 3u, 12u, 32u})
      CHECK(RunLengthDecode::create(first_backend().context(), {symbol_bytes, Type::u32}).status().error().code ==
            ErrorCode::unsupported);
    for (const Type length : {Type::u8, Type::i32, Type::f32, Type::u32x2})
      CHECK(RunLengthDecode::create(first_backend().context(), {4, length}).status().error().code ==
            ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<RunLengthDecode> test;
    test.check({{"max_output", "of all bits", [](auto& a) { a.max_output = ~uint64_t{0}; }}});
    test.check_taken([](auto& a) {
      a.count = a.max_output = 0;
      a.symbols = a.lengths = a.output = {};
    });
  }
}

}  // namespace weft::test::run_length_decode_tests

// Faults that these tests catch: tests/mutants.
// why: where every workgroup sums all counts, the end of all is not known
// file: shaders/interval/interval_segment.glsl
// find: if (own <= tiles) weft_tiles_before[own] = intervals_before_words(before);
// with: if (own < tiles) weft_tiles_before[own] = intervals_before_words(before);
// run: native --test-suite=run_length_decode
