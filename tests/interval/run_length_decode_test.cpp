// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/guarded_buffer.hpp"
#include "support/intervals.hpp"
#include "support/refusals.hpp"
#include "support/run.hpp"
#include "support/sizes.hpp"

namespace weft::test {
namespace {

struct DecodeOptions {
  std::optional<uint64_t> max_output{};  ///< none: exactly the total
  VkDeviceSize symbols_misalignment = 0, lengths_misalignment = 0, output_misalignment = 0;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

const RunLengthDecode& made(Backend& backend, const RunLengthDecodeConfig& config = {}) {
  return backend.primitive<RunLengthDecode>(
      "RunLengthDecode " + std::to_string(config.symbol_bytes) + ' ' + name_of(config.length), config);
}

/// Decodes once and compares output, total and status with the CPU's, and everything around them with what it was. Returns the
/// output.
std::vector<std::byte> check_decode(Backend& backend, const RunLengthDecode& decode,
                                    const RunLengthDecodeConfig& config, const Counts& lengths,
                                    const DecodeOptions& options = {}) {
  CAPTURE(backend.name());
  CAPTURE(config.symbol_bytes);
  CAPTURE(std::string(name_of(config.length)));
  CAPTURE(lengths.size());
  CAPTURE(options.symbols_misalignment);
  CAPTURE(options.lengths_misalignment);
  CAPTURE(options.output_misalignment);
  Gpu& gpu = backend.gpu();
  IntervalCall call(gpu, lengths, decode.scratch_size(lengths.size()), options.device_count, options.max_output,
                    options.dirt);
  const uint64_t max_output = call.max_output;
  CAPTURE(call.expected_total);
  CAPTURE(max_output);

  std::vector<std::byte> symbols(lengths.size() * config.symbol_bytes);
  for (size_t i = 0; i < symbols.size(); ++i) symbols[i] = static_cast<std::byte>(random_word(lengths.size(), i));
  const std::vector<std::byte> length_bytes = bytes_of_lengths(lengths, config.length);
  std::vector<std::byte> expected = decode_of(symbols, config.symbol_bytes, call.obeyed, max_output);
  expected.resize(max_output * config.symbol_bytes, static_cast<std::byte>(options.dirt));

  GuardedBuffer symbols_buffer(gpu, symbols.size(), options.symbols_misalignment, symbols);
  GuardedBuffer lengths_buffer(gpu, length_bytes.size(), options.lengths_misalignment, length_bytes);
  GuardedBuffer output_buffer(gpu, expected.size(), options.output_misalignment, {}, options.dirt);
  RunLengthDecodeArgs args{symbols_buffer.range(),
                           lengths_buffer.range(),
                           output_buffer.range(),
                           call.total.range(),
                           call.status.range(),
                           call.scratch.range(),
                           call.count,
                           max_output};
  const Result<RunTime> ran = gpu.run([&](VkCommandBuffer commands) { return decode.record(commands, args); });
  if (!ran) FAIL(ran.error().message);

  std::vector<std::byte> output, found;
  CHECK(output_buffer.read(output) == "");
  const auto differing = std::ranges::mismatch(output, expected);
  CHECK(static_cast<uint64_t>(differing.in1 - output.begin()) == output.size());
  call.check();
  CHECK(symbols_buffer.read(found) == "");
  CHECK(std::ranges::equal(found, symbols));
  CHECK(lengths_buffer.read(found) == "");
  CHECK(std::ranges::equal(found, length_bytes));
  return output;
}

}  // namespace

TEST_SUITE("run_length_decode") {
  TEST_CASE("symbols are repeated as their lengths say, at every edge of runs") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = made(*backend);
      for (const uint64_t runs : edges(*backend, decode.tile_runs(), 4))
        check_decode(*backend, decode, {}, random_counts(runs, 7));
    }
  }

  TEST_CASE("totals at and around every edge of outputs are decoded whole") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = made(*backend);
      const uint64_t tile = decode.segment_outputs();
      for (const uint64_t total : around({0, 4, 32, tile / 2, tile, 2 * tile, 5 * tile})) {
        check_decode(*backend, decode, {}, {total});
        check_decode(*backend, decode, {}, {total / 2, total - total / 2});
      }
    }
  }

  TEST_CASE("symbols of every size and lengths of both types are decoded [forms]") {
    uint32_t combination = 0;
    for (Backend* backend : every_backend())
      for (const uint32_t symbol_bytes : {1u, 2u, 4u, 8u, 16u})
        for (const Type length : {Type::u32, Type::u64}) {
          if (backend->is_emulated() && (symbol_bytes == 4) == (length == Type::u64)) continue;
          if (!takes_turn(combination++)) continue;
          const RunLengthDecodeConfig config{symbol_bytes, length};
          const RunLengthDecode& decode = made(*backend, config);
          check_decode(*backend, decode, config, mixed_counts(3 * decode.tile_runs() + 77, symbol_bytes));
          check_decode(*backend, decode, config, Counts(decode.tile_runs() + 3, 1));
        }
  }

  TEST_CASE("runs of no length may lie anywhere") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = made(*backend);
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
        const RunLengthDecode& decode = made(*backend, config);
        for (const uint64_t runs : around({decode.tile_runs(), decode.segment_outputs()}))
          check_decode(*backend, decode, config, Counts(runs, 1));
      }
  }

  TEST_CASE("one run of ten million symbols is spread over all tiles") {
    Backend& backend = first_backend();
    const RunLengthDecode& decode = made(backend);
    Counts lengths = random_counts(3000, 5);
    lengths[1234] = 10'000'000;
    check_decode(backend, decode, {}, lengths);
  }

  TEST_CASE("millions of empty runs cost no outputs") {
    Backend& backend = first_backend();
    const RunLengthDecode& decode = made(backend);
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
        const RunLengthDecode& decode = made(*backend, config);
        const Counts lengths = mixed_counts(2 * decode.tile_runs() + 13, 5);
        const uint64_t total = total_of(lengths);
        for (const uint64_t room : {uint64_t{0}, uint64_t{1}, total / 2, total - 1, total, total + 1, total + 9000}) {
          check_decode(*backend, decode, config, lengths, {.max_output = room});
        }
      }
  }

  TEST_CASE("totals above 2^32 are reported whole") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = made(*backend);
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
      const RunLengthDecode& decode = made(*backend, config);
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
        const RunLengthDecode& decode = made(*backend, config);
        uint32_t turn = 0;
        for (VkDeviceSize output = 0; output < 16; output += step) {
          const VkDeviceSize symbols = (7 * output + step) % 16 / step * step;
          check_decode(*backend, decode, config, mixed_counts(decode.tile_runs() + 40, output),
                       {.symbols_misalignment = symbols,
                        .lengths_misalignment = 4 * (++turn % 4),
                        .output_misalignment = output});
          check_decode(*backend, decode, config, {output % 3, output % 4, 1}, {.output_misalignment = output});
        }
      }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = made(*backend);
      const uint64_t maximum = 3 * decode.tile_runs() + 11;
      const Counts lengths = mixed_counts(maximum, 3);
      for (const uint32_t bytes : {4u, 8u})
        for (const uint64_t value : {uint64_t{0}, uint64_t{1}, maximum / 2, maximum - 1, maximum, maximum + 1,
                                     bytes == 4 ? uint64_t{~0u} : ~uint64_t{0}}) {
          CAPTURE(value);
          check_decode(*backend, decode, {}, lengths,
                       {.max_output = total_of(lengths), .device_count = DeviceCount{value, bytes}});
        }
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    uint32_t combination = 0;
    for (const char* tuning :
         {"decode.workgroup=256,decode.rows=8,decode.vectors=2", "decode.rows=1,decode.groups=3",
          "decode.groups=1,decode.rows=3", "decode.workgroup=128,decode.rows=32,decode.vectors=2"}) {
      const ScopedTuning overrides(tuning);
      CAPTURE(std::string(tuning));
      for (Backend* backend : every_backend())
        for (const RunLengthDecodeConfig& config :
             {RunLengthDecodeConfig{4, Type::u32}, RunLengthDecodeConfig{1, Type::u64}}) {
          if (!takes_turn(combination++)) continue;
          const RunLengthDecode& decode = made(*backend, config);
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
    const RunLengthDecode& decode = made(backend, config);
    VkPhysicalDeviceProperties properties;
    reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(loader_entry_point()(
        backend.gpu().instance(), "vkGetPhysicalDeviceProperties"))(backend.gpu().physical_device(), &properties);
    const uint64_t groups = properties.limits.maxComputeWorkGroupCount[0];
    if (groups > 1u << 17) {
      MESSAGE("one axis takes ", groups, " workgroups: too many outputs to try");
      return;
    }
    Counts lengths = random_counts(decode.tile_runs() * 2, 5);
    lengths[decode.tile_runs()] = (groups + 3) * decode.segment_outputs();
    check_decode(backend, decode, config, lengths);
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      const RunLengthDecode& decode = made(*backend, {1, Type::u32});
      const Counts lengths = mixed_counts(5 * decode.tile_runs(), 21);
      CHECK(check_decode(*backend, decode, {1, Type::u32}, lengths, {.dirt = 0xff}) ==
            check_decode(*backend, decode, {1, Type::u32}, lengths, {.dirt = 0}));
    }
  }

  TEST_CASE("scratch grows with the runs and is never nothing") {
    const RunLengthDecode& decode = made(first_backend());
    VkDeviceSize before = decode.scratch_size(0);
    CHECK(before != 0);
    for (uint64_t runs = 1; runs != 0; runs *= 2) {
      CHECK(decode.scratch_size(runs - 1) <= decode.scratch_size(runs));
      CHECK(decode.scratch_size(runs) >= before);
      before = decode.scratch_size(runs);
    }
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
    using Args = RunLengthDecodeArgs;
    NotingGpu noting;
    const Result<RunLengthDecode> decode = RunLengthDecode::create(noting.context(), {});
    REQUIRE(decode);
    constexpr uint64_t kCount = 5000, kRoom = 9000;
    const Buffer inputs = noting.made(16 * kCount), outputs = noting.made(8 * kRoom), small = noting.made(256),
                 scratch = noting.made(1 << 16);
    REQUIRE(noting.gpu().fill(inputs.range(), 1).ok());
    const Args sound{inputs.range(16, 4 * kCount),
                     inputs.range(8 * kCount, 4 * kCount),
                     outputs.range(16, 4 * kRoom),
                     small.range(4, 8),
                     small.range(16, 4),
                     scratch.range(0, decode->scratch_size(kCount)),
                     kCount,
                     kRoom};
    noting.check_refused<RunLengthDecode, Args>(
        *decode, sound,
        {{"symbols", "null", [](Args& a) { a.symbols.buffer = VK_NULL_HANDLE; }},
         {"symbols", "a byte too small", [](Args& a) { --a.symbols.size; }},
         {"symbols", "off by 2", [](Args& a) { a.symbols.offset += 2; }},
         {"lengths", "null", [](Args& a) { a.lengths.buffer = VK_NULL_HANDLE; }},
         {"lengths", "a byte too small", [](Args& a) { --a.lengths.size; }},
         {"lengths", "off by 2", [](Args& a) { a.lengths.offset += 2; }},
         {"output", "null", [](Args& a) { a.output.buffer = VK_NULL_HANDLE; }},
         {"output", "a byte too small", [](Args& a) { --a.output.size; }},
         {"output", "off by 1", [](Args& a) { a.output.offset += 1; }},
         {"output", "over the symbols", [](Args& a) { a.output = a.symbols, a.output.size = 4 * kRoom; }},
         {"output", "over the lengths", [](Args& a) { a.output = a.lengths, a.output.size = 4 * kRoom; }},
         {"total", "null", [](Args& a) { a.total.buffer = VK_NULL_HANDLE; }},
         {"total", "of 4 bytes", [](Args& a) { a.total.size = 4; }},
         {"total", "off by 2", [](Args& a) { a.total.offset += 2; }},
         {"total", "over the output", [](Args& a) { a.total = a.output; }},
         {"status", "null", [](Args& a) { a.status.buffer = VK_NULL_HANDLE; }},
         {"status", "of 2 bytes", [](Args& a) { a.status.size = 2; }},
         {"status", "off by 1", [](Args& a) { a.status.offset += 1; }},
         {"status", "over the total", [](Args& a) { a.status = a.total; }},
         {"scratch", "null", [](Args& a) { a.scratch.buffer = VK_NULL_HANDLE; }},
         {"scratch", "a byte too small", [](Args& a) { --a.scratch.size; }},
         {"scratch", "off by 8", [](Args& a) { a.scratch.offset += 8; }},
         {"scratch", "over the lengths", [](Args& a) { a.scratch = a.lengths; }},
         {"count", "a byte on the device", [&](Args& a) { a.count = Count::on_device(small.range(64, 1), kCount); }},
         {"count", "in the total", [&](Args& a) { a.count = Count::on_device(small.range(4, 4), kCount); }},
         {"count", "of all bits", [](Args& a) { a.count = ~uint64_t{0}; }},
         {"max_output", "of all bits", [](Args& a) { a.max_output = ~uint64_t{0}; }}});
    Args nothing = sound;
    nothing.count = 0;
    nothing.max_output = 0;
    nothing.symbols = nothing.lengths = nothing.output = {};
    CHECK(!noting.record(*decode, nothing));
  }
}

}  // namespace weft::test
