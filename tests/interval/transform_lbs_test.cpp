// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/transform_lbs.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "interval/transform_lbs_calls.hpp"
#include "support/intervals.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"
#include "weft_kernels/merge_by_score.hpp"
#include "weft_kernels/transform_repeat_values.hpp"
#include "weft_kernels/transform_tally_ranks.hpp"

namespace weft::test::transform_lbs_tests {
namespace {

TransformLbsConfig config_of(const KernelSet& own, IntervalsBy by = IntervalsBy::counts, Type count = Type::u32) {
  return {by, count, own};
}

/// Runs repeat_values.glsl, and compares every output's value and rank with the CPU's.
void check_repeat(Backend& backend, const Counts& counts, const IntervalOptions& options = {},
                  const TransformLbsConfig& config = config_of(own::transform_repeat_values())) {
  const TransformLbs& transform = create<TransformLbs>(backend, config);
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  IntervalCall<TransformLbsArgs> call(backend.gpu(), transform, counts, config.by, config.count, options);
  constexpr uint32_t kFactor = 0x9e3779b1;
  std::vector<uint32_t> values(counts.size()), expected;
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint32_t>(random_word(9, i));
  for (size_t s = 0; s < call.looked_at.size(); ++s)
    for (uint64_t rank = 0; rank < call.looked_at[s] && expected.size() < 2 * call.max_output; ++rank) {
      expected.push_back(values[s] * kFactor);
      expected.push_back(static_cast<uint32_t>(rank));
    }
  call.args.buffers = {call.input("values", values, 4), call.output("output", 8 * call.max_output, 8)};
  call.args.a = kFactor;
  call.args.b = call.max_output;
  call.expect("output", expected);
  call.check(transform);
}

/// Runs tally_ranks.glsl: each source is given all of its outputs, each once.
void check_tally(Backend& backend, const Counts& counts, IntervalsBy by) {
  const TransformLbsConfig config = config_of(own::transform_tally_ranks(), by, Type::u64);
  const TransformLbs& transform = create<TransformLbs>(backend, config);
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  IntervalCall<TransformLbsArgs> call(backend.gpu(), transform, counts, by, Type::u64, {});
  std::vector<uint32_t> expected;
  for (const uint64_t count : counts) {
    expected.push_back(static_cast<uint32_t>(count));
    expected.push_back(static_cast<uint32_t>(count == 0 ? 0 : count * (count - 1) / 2));
  }
  call.args.buffers[0] = call.input("sums", std::vector<uint32_t>(expected.size()));
  call.expect("sums", expected);
  call.check(transform);
}

}  // namespace

TEST_SUITE("transform_lbs") {
  TEST_CASE("every edge of sources and of outputs [widths]") {
    for (Backend* backend : every_backend()) {
      const TransformLbs& transform = create<TransformLbs>(*backend, config_of(own::transform_repeat_values()));
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
        const TransformLbs& transform =
            create<TransformLbs>(*backend, config_of(own::transform_tally_ranks(), by, Type::u64));
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
    CHECK(TransformLbs::create(context, config_of(own::merge_by_score())).error().message ==
          "TransformLbs: own_kernels 'merge_by_score' are made for merge, and not for transform_lbs");
    CHECK(TransformLbs::create(context, config_of(own::transform_tally_ranks(), IntervalsBy::counts, Type::f32))
              .error()
              .message == "TransformLbs: counts are u32 or u64, not f32");
    CHECK(own::transform_tally_ranks().primitive() == "transform_lbs");
    CHECK(own::transform_tally_ranks().kernels().size() == 2);
  }
}

TEST_SUITE("refusal") {
  TEST_CASE("TransformLbs refuses arguments that break a precondition, and records nothing [refusal]") {
    RefusalTest<TransformLbs> test(config_of(own::transform_tally_ranks()));
    test.check({{"scratch", "overlaps buffers", [](auto& a) { a.buffers[3] = a.scratch; }},
                {"count", "is more than 2^30 tiles hold", [](auto& a) { a.count = uint64_t{1} << 60; }},
                {"max_output", "is more than 2^30 tiles hold", [](auto& a) { a.max_output = uint64_t{1} << 60; }}});
  }
}

}  // namespace weft::test::transform_lbs_tests
