// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/histogram.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "histogram/histogram_calls.hpp"
#include "support/config_text.hpp"
#include "support/fuzz_subject.hpp"
#include "support/oracle.hpp"
#include "support/primitive_call.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test::histogram_tests {
namespace {

struct HistogramOptions {
  VkDeviceSize input_misalignment = 0, output_misalignment = 4, levels_misalignment = 8;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

/// Counts once and compares all counters with the CPU's. Returns the counters.
template <class T>
std::vector<uint32_t> check_histogram(Backend& backend, uint32_t bins, const std::vector<T>& items, const Bins<T>& by,
                                      const HistogramOptions& options = {}) {
  const HistogramConfig config{by.levels.empty() ? HistogramKind::even : HistogramKind::levels, item_type<T>(), bins};
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  CAPTURE(by.lower);
  CAPTURE(by.upper);
  PrimitiveCall call(backend.gpu(), options.dirt);
  const HistogramArgs args{call.input("input", items, options.input_misalignment),
                           call.output("output", uint64_t{bins} * 4, options.output_misalignment),
                           call.count(options.device_count, items.size()),
                           by.lower,
                           by.upper,
                           call.input("levels", by.levels, options.levels_misalignment)};
  const uint64_t count = obeyed(options.device_count, items.size());
  call.expect("output", counted(std::span<const T>(items).first(count), bins, by));
  CHECK(call.wrong(create<Histogram>(backend, config), args) == "");
  return items_of<uint32_t>(call.found("output"));
}

/// Items of all bits, or of a few thousand values, so that some bins are full.
template <class T>
std::vector<T> drawn(uint64_t count, uint64_t seed = 1) {
  std::vector<T> items(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t word = random_word(seed, i);
    if constexpr (std::is_floating_point_v<T>)
      items[i] = word % 5 == 0 ? std::bit_cast<float>(static_cast<uint32_t>(word >> 32))
                               : static_cast<float>(static_cast<int32_t>(word >> 40)) * 0x1p-20f - 4.0f;
    else
      items[i] = static_cast<T>(word % 3 == 0 ? (word >> 32) % 5000 : word >> 32);
  }
  return items;
}

template <class T>
Bins<T> all_values() {
  if constexpr (std::is_floating_point_v<T>)
    return {-3.5, 11.25, {}};
  else
    return {
        static_cast<double>(std::numeric_limits<T>::min()), static_cast<double>(std::numeric_limits<T>::max()) + 1, {}};
}

/// `bins` + 1 levels of uneven distances, some equal, that leave out items at both ends.
template <class T>
Bins<T> uneven_levels(uint32_t bins) {
  Bins<T> by;
  for (uint32_t i = 0; i <= bins; ++i) {
    const double share = std::pow((i - i % 3) / (bins + 1.0), 1.5);
    const Bins<T> all = all_values<T>();
    by.levels.push_back(static_cast<Level<T>>(all.lower + (all.upper - all.lower) * (0.01 + 0.97 * share)));
  }
  return by;
}

template <class Test>
void for_every_item(const Test& test) {
  test.template operator()<uint8_t>();
  test.template operator()<uint16_t>();
  test.template operator()<uint32_t>();
  test.template operator()<int32_t>();
  test.template operator()<float>();
}

/// Items as Draws has them, half of the floats with fractions, and with NaN and infinities among them.
template <class T>
std::vector<T> drawn_to_count(Draws& draw, uint64_t n) {
  std::vector<T> items = draw.items<T>(n);
  if constexpr (std::floating_point<T>) {
    if (draw.one_in(2)) return items;
    const std::vector<uint32_t> words = draw.items<uint32_t>(n);
    for (uint64_t i = 0; i < n; ++i)
      items[i] =
          words[i] % 5 == 0 ? std::bit_cast<T>(words[i]) : static_cast<T>(static_cast<int32_t>(words[i])) * T{0x1p-28};
  }
  return items;
}

template <class T>
Bins<T> drawn_bounds(Draws& draw) {
  using Limits = std::numeric_limits<T>;
  Bins<T> by;
  if constexpr (std::floating_point<T>) {
    by.lower = (static_cast<double>(draw.below(2001)) - 1000) / 128;
    by.upper = by.lower + static_cast<double>(draw.of_any_magnitude(1 << 20)) / 64;
  } else if (draw.one_in(4)) {
    by = all_values<T>();
  } else {
    by.lower = static_cast<double>(Draws::item_of<T>(draw.word()));
    const double widest = static_cast<double>(Limits::max()) + 1 - by.lower;
    by.upper = by.lower + static_cast<double>(draw.of_any_magnitude(static_cast<uint64_t>(widest)));
  }
  return by;
}

/// Some of them equal, more often the narrower the items are.
template <class T>
Bins<T> drawn_levels(Draws& draw, uint32_t bins) {
  Bins<T> by;
  for (const T level : drawn_to_count<T>(draw, bins + 1))
    by.levels.push_back(level == level ? static_cast<Level<T>>(level) : Level<T>{});
  std::ranges::sort(by.levels);
  return by;
}

template <class T>
FuzzSubject subject_of(HistogramKind kind, uint32_t bins, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const HistogramConfig& config, Draws& draw) {
    const uint64_t n = draw.count(create<Histogram>(backend, config).tile_items());
    const auto items = drawn_to_count<T>(draw, n);
    const auto by = config.kind == HistogramKind::even ? drawn_bounds<T>(draw) : drawn_levels<T>(draw, config.bins);
    check_histogram(
        backend, config.bins, items, by,
        {draw.misalignment(sizeof(T)), draw.misalignment(4), draw.misalignment(4), draw.device_count(n), draw.dirt()});
  };
  return {HistogramConfig{kind, item_type<T>(), bins}, tuning, draw_case};
}

const FuzzSubjects fuzzed("histogram", [] {
  return std::vector{
      subject_of<uint32_t>(HistogramKind::even, 256),
      subject_of<uint8_t>(HistogramKind::levels, 20, "histogram.rows=1,histogram.groups=1"),
      subject_of<float>(HistogramKind::even, 1000, "histogram.table_words=256"),
      subject_of<int32_t>(HistogramKind::levels, 5000),
  };
});

}  // namespace

TEST_SUITE("histogram") {
  TEST_CASE("items of every type are counted in any number of bins, even and by levels [widths]") {
    for (Backend* backend : every_backend()) {
      uint32_t combination = 0;
      for_every_item([&]<class T>() {
        for (const uint32_t bins : {1u, 2u, 3u, 255u, 256u, 257u, 4096u, 65536u}) {
          if (!is_in_share(combination++) || (backend->is_emulated() && combination % 3 != 0)) continue;
          const auto items = drawn<T>(30011, bins);
          check_histogram<T>(*backend, bins, items, all_values<T>());
          check_histogram<T>(*backend, bins, items, uneven_levels<T>(bins));
        }
      });
    }
  }

  TEST_CASE("counts at and around every edge are counted whole [widths]") {
    for (Backend* backend : every_backend()) {
      const auto at_edges = [&]<class T>() {
        const uint64_t tile =
            create<Histogram>(*backend, HistogramConfig{HistogramKind::even, item_type<T>(), 256}).tile_items();
        for (const uint64_t n : edges(*backend, tile, sizeof(T)))
          check_histogram<T>(*backend, 256, drawn<T>(n, n), all_values<T>());
      };
      at_edges.operator()<uint8_t>();
      at_edges.operator()<uint32_t>();
    }
  }

  TEST_CASE("even bins of integers are exact at every bound [widths]") {
    Backend& backend = first_backend();
    uint32_t combination = 0;
    const auto check = [&]<class T>(uint32_t bins, double lower, double upper) {
      if (!takes_turn(combination++)) return;
      // Around each bin's first item, as long division has it.
      std::vector<T> items;
      const auto add = [&](double item) {
        for (const double near : {item - 1, item, item + 1})
          if (near >= static_cast<double>(std::numeric_limits<T>::min()) &&
              near <= static_cast<double>(std::numeric_limits<T>::max()))
            items.push_back(static_cast<T>(near));
      };
      const auto width = static_cast<uint64_t>(upper - lower);
      for (uint64_t b = 0; b <= bins; ++b) add(lower + static_cast<double>((b * width + bins - 1) / bins));
      check_histogram<T>(backend, bins, items, {lower, upper, {}});
    };
    check.operator()<uint32_t>(65536, 0, 0x1p32);
    check.operator()<uint32_t>(65535, 0, 0x1p32);
    check.operator()<uint32_t>(65535, 0, 0x1p32 - 1);
    check.operator()<uint32_t>(4096, 5, 0x1p32 - 1);
    check.operator()<uint32_t>(1, 0, 0x1p32);
    check.operator()<uint32_t>(3, 0, 0x1p32);
    check.operator()<uint32_t>(256, 17, 17 + 256 * 1024);
    check.operator()<uint32_t>(65536, 100, 107);
    check.operator()<uint32_t>(65535, 0x1p31, 0x1p31 + 65534);
    check.operator()<uint32_t>(256, 0x1p32 - 1, 0x1p32);
    check.operator()<int32_t>(1000, -0x1p31, 0x1p31);
    check.operator()<int32_t>(256, -0x1p31, 0x1p31);
    check.operator()<int32_t>(257, -1000, 777);
    check.operator()<uint16_t>(1000, 0, 0x1p16);
    check.operator()<uint16_t>(65536, 0, 0x1p16);
    check.operator()<uint8_t>(100, 3, 250);
    check.operator()<uint8_t>(65536, 0, 256);
  }

  TEST_CASE("items outside of all bins, and NaN, are not counted, and -0 is 0") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kMin = std::numeric_limits<float>::denorm_min();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> items{0.0f,
                                   -0.0f,
                                   kMin,
                                   -kMin,
                                   1.0f,
                                   std::nextafter(1.0f, 0.0f),
                                   nan,
                                   -nan,
                                   kInfinity,
                                   -kInfinity,
                                   0.5f,
                                   -1.0f,
                                   std::nextafter(0.5f, 0.0f),
                                   2.0f,
                                   1e38f,
                                   -1e38f,
                                   std::numeric_limits<float>::min(),
                                   0.25f};
    for (Backend* backend : every_backend()) {
      check_histogram<float>(*backend, 4, items, {0, 1, {}});
      check_histogram<float>(*backend, 4, items, {-0.0, 1, {}});
      check_histogram<float>(*backend, 3, items, {-1, 2, {}});
      check_histogram<float>(*backend, 2, items, {-1, 0, {}});
      check_histogram<float>(*backend, 3, items, {0, 0, {-0.0f, 0.25f, 0.5f, 1.0f}});
      check_histogram<float>(*backend, 3, items, {0, 0, {-kInfinity, -1.0f, 0.0f, kInfinity}});
      check_histogram<uint32_t>(*backend, 3, {9, 10, 11, 19, 20, 21, 0, ~0u}, {10, 20, {}});
      check_histogram<int32_t>(*backend, 3, {-11, -10, -1, 0, 4, 5, 6, INT32_MAX, INT32_MIN}, {-10, 5, {}});
      check_histogram<int32_t>(*backend, 2, {-11, -10, -1, 0, 4, 5, 6, INT32_MAX, INT32_MIN}, {0, 0, {-10, -1, 5}});
    }
  }

  TEST_CASE("equal items all count, in few copies, in many and without a table") {
    for (Backend* backend : every_backend())
      for (const uint32_t bins : {2u, 256u, 4096u, 65536u}) {
        if (backend->is_emulated() && bins == 256) continue;
        const auto counters =
            check_histogram<uint32_t>(*backend, bins, std::vector<uint32_t>(200'003, 7u << 20), all_values<uint32_t>());
        CHECK(*std::ranges::max_element(counters) == 200'003);
        check_histogram<uint8_t>(*backend, bins, std::vector<uint8_t>(200'003, 200), all_values<uint8_t>());
      }
  }

  TEST_CASE("input and output begin at any item") {
    for (Backend* backend : every_backend())
      for_every_item([&]<class T>() {
        for (VkDeviceSize misalignment = 0; misalignment < 16; misalignment += sizeof(T)) {
          if (backend->is_emulated() && misalignment % 5 != 0) continue;
          for (const uint64_t n : {uint64_t{5}, uint64_t{9001}})
            check_histogram<T>(*backend, 100, drawn<T>(n, misalignment), all_values<T>(),
                               {.input_misalignment = misalignment, .output_misalignment = 4 * (misalignment % 4)});
        }
      });
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (Backend* backend : every_backend()) {
      const uint64_t maximum = 2 * create<Histogram>(*backend, HistogramConfig{}).tile_items() + 11;
      const auto items = drawn<uint32_t>(maximum);
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(count.value);
        check_histogram<uint32_t>(*backend, 256, items, all_values<uint32_t>(), {.device_count = count});
      }
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning : {"histogram.workgroup=256,histogram.rows=8,histogram.table_words=16384",
                               "histogram.rows=1,histogram.groups=1,histogram.table_words=256"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend())
        for (const uint32_t bins : {256u, 1000u}) {
          if (backend->is_emulated()) continue;  // builds these for long
          check_histogram<uint8_t>(*backend, bins, drawn<uint8_t>(40'007), all_values<uint8_t>());
          check_histogram<float>(*backend, bins, drawn<float>(40'007), uneven_levels<float>(bins));
          check_histogram<uint32_t>(*backend, bins, drawn<uint32_t>(40'007), all_values<uint32_t>());
        }
    }
  }

  TEST_CASE("equal calls give equal counters, whatever the output held") {
    for (Backend* backend : every_backend()) {
      const auto items = drawn<uint16_t>(70'000);
      CHECK(check_histogram<uint16_t>(*backend, 300, items, all_values<uint16_t>(), {.dirt = 0xff}) ==
            check_histogram<uint16_t>(*backend, 300, items, all_values<uint16_t>(), {.dirt = 0}));
    }
  }

  TEST_CASE("levels that descend touch no other memory") {
    for (Backend* backend : every_backend())
      for (const uint32_t bins : {256u, 5000u}) {
        PrimitiveCall call(backend->gpu());
        call.output("output", bins * 4);
        const HistogramArgs args{
            call.input("input", drawn<uint32_t>(9000)),        call.expect_any("output", bins * 4), 9000, 0, 0,
            call.input("levels", drawn<uint32_t>(bins + 1, 9))};
        CHECK(call.wrong(create<Histogram>(*backend, HistogramConfig{HistogramKind::levels, Type::u32, bins}), args) ==
              "");
      }
  }

  TEST_CASE("other items and numbers of bins are refused [refusal]") {
    const Context& context = first_backend().context();
    for (const Type item : {Type::u64, Type::i64, Type::f16, Type::f64, Type::u32x2})
      CHECK(Histogram::create(context, {HistogramKind::even, item, 256}).status().error().code ==
            ErrorCode::unsupported);
    for (const uint32_t bins : {0u, 65537u})
      CHECK(Histogram::create(context, {HistogramKind::levels, Type::u8, bins}).status().error().code ==
            ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    using Args = HistogramArgs;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    RefusalTest<Histogram> test;
    test.check();
    Args args = test.sound;
    args.upper = 0x1p32;
    args.levels = {};
    test.recording.check_refused<Histogram, Args>(test.create(test.recording, {HistogramKind::even, Type::u32, 16}),
                                                  args,
                                                  {{"upper", "as low as lower", [](Args& a) { a.lower = a.upper = 5; }},
                                                   {"upper", "below lower", [](Args& a) { a.lower = 6, a.upper = 5; }},
                                                   {"upper", "no number", [=](Args& a) { a.upper = nan; }},
                                                   {"upper", "above all u32", [](Args& a) { a.upper = 0x1p32 + 1; }},
                                                   {"upper", "between integers", [](Args& a) { a.upper = 100.5; }},
                                                   {"lower", "below all u32", [](Args& a) { a.lower = -1; }},
                                                   {"lower", "between integers", [](Args& a) { a.lower = 0.5; }}});
    args.upper = 1;
    test.recording.check_refused<Histogram, Args>(
        test.create(test.recording, {HistogramKind::even, Type::f32, 16}), args,
        {{"upper", "infinite", [](Args& a) { a.upper = HUGE_VAL; }},
         {"lower", "infinite", [](Args& a) { a.lower = -HUGE_VAL; }},
         {"upper", "too near", [](Args& a) { a.upper = 0x1p-100; }},
         {"upper", "too far", [](Args& a) { a.upper = 0x1p120; }},
         {"upper", "equal as f32", [](Args& a) { a.lower = 1, a.upper = 1 + 1e-12; }}});
  }
}

}  // namespace weft::test::histogram_tests

// Faults that these tests catch: tests/mutants.
// why: the largest item that counts is left out
// file: shaders/histogram/histogram.comp
// find: if (offset > push.last) return kNoBin;
// with: if (offset >= push.last) return kNoBin;
// run: native --test-suite=histogram
