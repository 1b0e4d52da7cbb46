// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/transform_lbs.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/guarded_buffer.hpp"
#include "support/intervals.hpp"
#include "support/refusals.hpp"
#include "support/run.hpp"
#include "support/sizes.hpp"
#include "weft_kernels/scan_triangle.hpp"
#include "weft_kernels/transform_repeat_values.hpp"
#include "weft_kernels/transform_tally_ranks.hpp"

namespace weft::test {
namespace {

struct TransformOptions {
  std::optional<uint64_t> max_output{};  ///< none: exactly the total
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

TransformLbsConfig config_of(const KernelSet& own, IntervalsBy by = IntervalsBy::counts, Type count = Type::u32) {
  return {by, count, own};
}

const TransformLbs& made(Backend& backend, const TransformLbsConfig& config) {
  return backend.primitive<TransformLbs>(std::string("TransformLbs ") + name_of(config.by) + ' ' +
                                             name_of(config.count) + ' ' + config.own_kernels->name(),
                                         config);
}

TransformLbsArgs args_of(IntervalCall& call, GuardedBuffer& counts) {
  TransformLbsArgs args;
  args.counts = counts.range();
  args.total = call.total.range();
  args.status = call.status.range();
  args.scratch = call.scratch.range();
  args.count = call.count;
  args.max_output = call.max_output;
  return args;
}

/// Runs repeat_values.glsl, and compares every output's value and rank with the CPU's.
void check_repeat(Backend& backend, const Counts& counts, const TransformOptions& options = {},
                  const TransformLbsConfig& config = config_of(own::transform_repeat_values())) {
  const TransformLbs& transform = made(backend, config);
  CAPTURE(backend.name());
  CAPTURE(std::string(name_of(config.by)));
  CAPTURE(counts.size());
  Gpu& gpu = backend.gpu();
  IntervalCall call(gpu, counts, transform.scratch_size(counts.size()), options.device_count, options.max_output,
                    options.dirt);
  CAPTURE(call.max_output);
  constexpr uint32_t kFactor = 0x9e3779b1;
  std::vector<uint32_t> values(counts.size()), expected;
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint32_t>(random_word(9, i));
  for (size_t s = 0; s < call.obeyed.size(); ++s)
    for (uint64_t rank = 0; rank < call.obeyed[s] && expected.size() < 2 * call.max_output; ++rank) {
      expected.push_back(values[s] * kFactor);
      expected.push_back(static_cast<uint32_t>(rank));
    }
  expected.resize(2 * call.max_output, options.dirt * 0x01010101u);

  const std::vector<std::byte> count_bytes = bytes_of_intervals(counts, config.by, config.count);
  GuardedBuffer counts_buffer(gpu, count_bytes.size(), 0, count_bytes);
  GuardedBuffer values_buffer(gpu, values.size() * 4, 4, std::as_bytes(std::span(values)));
  GuardedBuffer output(gpu, expected.size() * 4, 8, {}, options.dirt);
  TransformLbsArgs args = args_of(call, counts_buffer);
  args.buffers = {values_buffer.range(), output.range()};
  args.a = kFactor;
  args.b = call.max_output;
  const Result<RunTime> ran = gpu.run([&](VkCommandBuffer commands) { return transform.record(commands, args); });
  if (!ran) FAIL(ran.error().message);
  std::vector<std::byte> found;
  CHECK(output.read(found) == "");
  CHECK((items_of<uint32_t>(found) == expected));
  call.check();
}

/// Runs tally_ranks.glsl: each source is given all of its outputs, each once.
void check_tally(Backend& backend, const Counts& counts, IntervalsBy by) {
  const TransformLbsConfig config = config_of(own::transform_tally_ranks(), by, Type::u64);
  const TransformLbs& transform = made(backend, config);
  CAPTURE(backend.name());
  CAPTURE(std::string(name_of(by)));
  Gpu& gpu = backend.gpu();
  IntervalCall call(gpu, counts, transform.scratch_size(counts.size()), {}, {}, 0xdb);
  std::vector<uint32_t> expected;
  for (const uint64_t count : counts) {
    expected.push_back(static_cast<uint32_t>(count));
    expected.push_back(static_cast<uint32_t>(count == 0 ? 0 : count * (count - 1) / 2));
  }
  const std::vector<std::byte> count_bytes = bytes_of_intervals(counts, by, Type::u64);
  const std::vector<std::byte> zeros(expected.size() * 4);
  GuardedBuffer counts_buffer(gpu, count_bytes.size(), 0, count_bytes);
  GuardedBuffer sums(gpu, zeros.size(), 0, zeros);
  TransformLbsArgs args = args_of(call, counts_buffer);
  args.buffers[0] = sums.range();
  const Result<RunTime> ran = gpu.run([&](VkCommandBuffer commands) { return transform.record(commands, args); });
  if (!ran) FAIL(ran.error().message);
  std::vector<std::byte> found;
  CHECK(sums.read(found) == "");
  CHECK((items_of<uint32_t>(found) == expected));
  call.check();
}

}  // namespace

TEST_SUITE("transform_lbs") {
  TEST_CASE("every edge of sources and of outputs") {
    for (Backend* backend : every_backend()) {
      const TransformLbs& transform = made(*backend, config_of(own::transform_repeat_values()));
      for (const uint64_t sources : edges(*backend, transform.tile_sources(), 2))
        check_repeat(*backend, random_counts(sources, 7));
      const uint64_t segment = transform.segment_outputs();
      for (const uint64_t total : around({0, 32, segment, 3 * segment}))
        check_repeat(*backend, {total / 3, total - total / 3});
    }
  }

  TEST_CASE("any distribution: every source is given all of its outputs, each once") {
    for (Backend* backend : every_backend())
      for (const IntervalsBy by : {IntervalsBy::counts, IntervalsBy::offsets}) {
        const TransformLbs& transform = made(*backend, config_of(own::transform_tally_ranks(), by, Type::u64));
        const uint64_t tile = transform.tile_sources(), segment = transform.segment_outputs();
        check_tally(*backend, mixed_counts(3 * tile + 7, 2), by);
        Counts one(4 * tile, 0);
        one[tile + 5] = 2 * segment + 9;
        check_tally(*backend, one, by);
        check_tally(*backend, Counts(2 * tile, 0), by);
      }
  }

  TEST_CASE("outputs past the maximum are not given, and the status says so") {
    for (Backend* backend : every_backend()) {
      const Counts counts = mixed_counts(1500, 6);
      const uint64_t total = total_of(counts);
      for (const uint64_t room : {uint64_t{0}, uint64_t{1}, total / 2, total - 1, total + 9})
        check_repeat(*backend, counts, {.max_output = room});
    }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum [bounds]") {
    for (Backend* backend : every_backend()) {
      const Counts counts = mixed_counts(1500, 3);
      for (const uint64_t value : {uint64_t{0}, uint64_t{700}, uint64_t{1500}, ~uint64_t{0}})
        check_repeat(*backend, counts, {.max_output = total_of(counts), .device_count = DeviceCount{value, 8}});
    }
  }

  TEST_CASE("sets that are none of its own are refused [refusal]") {
    const Context& context = first_backend().context();
    CHECK(TransformLbs::create(context, {}).error().message ==
          "TransformLbs: own_kernels are what it is for, and there are none");
    CHECK(TransformLbs::create(context, config_of(own::scan_triangle())).error().message ==
          "TransformLbs: own_kernels 'scan_triangle' are made for scan, and not for transform_lbs");
    CHECK(TransformLbs::create(context, config_of(own::transform_tally_ranks(), IntervalsBy::counts, Type::f32))
              .error()
              .message == "TransformLbs: counts are u32 or u64, not f32");
    CHECK(own::transform_tally_ranks().primitive() == "transform_lbs");
    CHECK(own::transform_tally_ranks().kernels().size() == 2);
  }
}

TEST_SUITE("refusal") {
  TEST_CASE("TransformLbs refuses arguments that break a precondition, and records nothing [refusal]") {
    NotingGpu noting;
    const Result<TransformLbs> transform =
        TransformLbs::create(noting.context(), config_of(own::transform_tally_ranks()));
    if (!transform) FAIL(transform.error().message);
    const uint64_t sources = 1000;
    const Buffer counts = noting.made(4 * sources), own = noting.made(8 * sources), results = noting.made(16),
                 scratch = noting.made(transform->scratch_size(sources));
    TransformLbsArgs sound;
    sound.counts = counts.range();
    sound.total = {results.range().buffer, 0, 8};
    sound.status = {results.range().buffer, 8, 4};
    sound.scratch = scratch.range();
    sound.count = sources;
    sound.max_output = 5000;
    sound.buffers[0] = own.range();
    using Breach = Refusal<TransformLbsArgs>;
    noting.check_refused(
        *transform, sound,
        std::vector<Breach>{
            {"counts", "is null", [](auto& a) { a.counts = {}; }},
            {"counts", "is too small", [](auto& a) { a.counts.size -= 4; }},
            {"total", "is null", [](auto& a) { a.total = {}; }},
            {"status", "overlaps total", [](auto& a) { a.status = a.total; }},
            {"scratch", "is too small", [](auto& a) { a.scratch.size = 16; }},
            {"buffers", "is misaligned", [](auto& a) { a.buffers[0].offset += 2; }},
            {"scratch", "overlaps buffers", [](auto& a) { a.buffers[3] = a.scratch; }},
            {"count", "is more than 2^30 tiles hold", [](auto& a) { a.count = uint64_t{1} << 60; }},
            {"max_output", "is more than 2^30 tiles hold", [](auto& a) { a.max_output = uint64_t{1} << 60; }},
        });
  }
}

}  // namespace weft::test
