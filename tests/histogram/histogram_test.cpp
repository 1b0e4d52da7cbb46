// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/histogram.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/guarded_buffer.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/run.hpp"
#include "support/sizes.hpp"

namespace weft::test {
namespace {

struct HistogramOptions {
  VkDeviceSize input_misalignment = 0, output_misalignment = 4;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

const Histogram& made(Backend& backend, const HistogramConfig& config) {
  return backend.primitive<Histogram>(
      std::string("Histogram ") + name_of(config.kind) + ' ' + name_of(config.item) + ' ' + std::to_string(config.bins),
      config);
}

/// Counts once and compares all counters with the CPU's, and everything around them with what it was. Returns the counters.
template <class T>
std::vector<uint32_t> check_histogram(Backend& backend, uint32_t bins, const std::vector<T>& items, const Bins<T>& by,
                                      const HistogramOptions& options = {}) {
  const HistogramKind kind = by.levels.empty() ? HistogramKind::even : HistogramKind::levels;
  const Histogram& histogram = made(backend, {kind, item_type<T>(), bins});
  CAPTURE(backend.name());
  CAPTURE(std::string(name_of(kind)));
  CAPTURE(std::string(name_of(item_type<T>())));
  CAPTURE(bins);
  CAPTURE(items.size());
  CAPTURE(by.lower);
  CAPTURE(by.upper);
  CAPTURE(options.input_misalignment);
  Gpu& gpu = backend.gpu();
  const uint64_t maximum = items.size();
  const uint64_t count = options.device_count ? std::min(options.device_count->value, maximum) : maximum;

  GuardedBuffer input(gpu, maximum * sizeof(T), options.input_misalignment, std::as_bytes(std::span(items)));
  GuardedBuffer output(gpu, uint64_t{bins} * 4, options.output_misalignment, {}, options.dirt);
  GuardedBuffer levels(gpu, by.levels.size() * 4, 8, std::as_bytes(std::span(by.levels)));
  std::optional<GuardedBuffer> count_buffer;
  HistogramArgs args{input.range(), output.range(), maximum, by.lower, by.upper, levels.range()};
  if (options.device_count) {
    count_buffer.emplace(gpu, options.device_count->bytes, 4,
                         std::as_bytes(std::span(&options.device_count->value, 1)).first(options.device_count->bytes));
    args.count = Count::on_device(count_buffer->range(), maximum);
  }
  const auto ran = gpu.run([&](VkCommandBuffer commands) { return histogram.record(commands, args); });
  if (!ran) FAIL(ran.error().message);

  std::vector<std::byte> bytes;
  CHECK(output.read(bytes) == "");
  std::vector<uint32_t> counters = items_of<uint32_t>(bytes);
  CHECK(difference(counters, counted(std::span<const T>(items).first(count), bins, by)) == "");
  CHECK(input.read(bytes) == "");
  CHECK(std::ranges::equal(bytes, std::as_bytes(std::span(items))));
  CHECK(levels.overwritten() == "");
  return counters;
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

}  // namespace

TEST_SUITE("histogram") {
  TEST_CASE("items of every type are counted in any number of bins, even and by levels") {
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

  TEST_CASE("counts at and around every edge are counted whole") {
    for (Backend* backend : every_backend()) {
      const auto at_edges = [&]<class T>() {
        const uint64_t tile = made(*backend, {HistogramKind::even, item_type<T>(), 256}).tile_items();
        for (const uint64_t n : edges(*backend, tile, sizeof(T)))
          check_histogram<T>(*backend, 256, drawn<T>(n, n), all_values<T>());
      };
      at_edges.operator()<uint8_t>();
      at_edges.operator()<uint32_t>();
    }
  }

  TEST_CASE("even bins of integers are exact at every bound") {
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
    constexpr float kLeast = std::numeric_limits<float>::denorm_min();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> items{0.0f,
                                   -0.0f,
                                   kLeast,
                                   -kLeast,
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
      const uint64_t maximum = 2 * made(*backend, {}).tile_items() + 11;
      const auto items = drawn<uint32_t>(maximum);
      for (const uint32_t bytes : {4u, 8u})
        for (const uint64_t value : {uint64_t{0}, uint64_t{1}, maximum / 2, maximum - 1, maximum, maximum + 1,
                                     bytes == 4 ? uint64_t{~0u} : ~uint64_t{0}}) {
          CAPTURE(value);
          check_histogram<uint32_t>(*backend, 256, items, all_values<uint32_t>(),
                                    {.device_count = DeviceCount{value, bytes}});
        }
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning : {"histogram.workgroup=256,histogram.rows=8,histogram.table_words=16384",
                               "histogram.rows=1,histogram.groups=1,histogram.table_words=256"}) {
      const ScopedTuning overrides(tuning);
      CAPTURE(std::string(tuning));
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
        const Histogram& histogram = made(*backend, {HistogramKind::levels, Type::u32, bins});
        const auto items = drawn<uint32_t>(9000), levels = drawn<uint32_t>(bins + 1, 9);
        GuardedBuffer input(backend->gpu(), items.size() * 4, 0, std::as_bytes(std::span(items)));
        GuardedBuffer table(backend->gpu(), levels.size() * 4, 0, std::as_bytes(std::span(levels)));
        GuardedBuffer output(backend->gpu(), bins * 4, 0, {});
        REQUIRE(backend->gpu().run([&](VkCommandBuffer commands) {
          return histogram.record(commands, {input.range(), output.range(), items.size(), 0, 0, table.range()});
        }));
        CHECK(output.overwritten() == "");
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
    NotingGpu noting;
    constexpr uint64_t kCount = 5000;
    const Buffer input = noting.made(4 * kCount + 64), output = noting.made(2048), counts = noting.made(64),
                 levels = noting.made(2048);
    for (const Buffer* buffer : {&input, &counts, &levels}) REQUIRE(noting.gpu().fill(buffer->range(), 1).ok());
    const double nan = std::numeric_limits<double>::quiet_NaN();

    const Result<Histogram> even = Histogram::create(noting.context(), {});
    REQUIRE(even);
    const Args sound{input.range(16, 4 * kCount), output.range(16, 1024), kCount, 0, 0x1p32, {}};
    noting.check_refused<Histogram, Args>(
        *even, sound,
        {{"input", "null", [](Args& a) { a.input.buffer = VK_NULL_HANDLE; }},
         {"input", "a byte too small", [](Args& a) { --a.input.size; }},
         {"input", "off by 2", [](Args& a) { a.input.offset += 2; }},
         {"output", "null", [](Args& a) { a.output.buffer = VK_NULL_HANDLE; }},
         {"output", "a byte too small", [](Args& a) { --a.output.size; }},
         {"output", "off by 2", [](Args& a) { a.output.offset += 2; }},
         {"output", "over the input", [](Args& a) { a.output = a.input; }},
         {"output", "over the count", [&](Args& a) { a.count = Count::on_device(output.range(16, 4), kCount); }},
         {"count", "a byte on the device", [&](Args& a) { a.count = Count::on_device(counts.range(0, 1), kCount); }},
         {"count", "of all bits", [](Args& a) { a.count = ~uint64_t{0}; }},
         {"upper", "as low as lower", [](Args& a) { a.lower = a.upper = 5; }},
         {"upper", "below lower", [](Args& a) { a.lower = 6, a.upper = 5; }},
         {"upper", "no number", [=](Args& a) { a.upper = nan; }},
         {"upper", "above all u32", [](Args& a) { a.upper = 0x1p32 + 1; }},
         {"upper", "between integers", [](Args& a) { a.upper = 100.5; }},
         {"lower", "below all u32", [](Args& a) { a.lower = -1; }},
         {"lower", "between integers", [](Args& a) { a.lower = 0.5; }}});

    const Result<Histogram> floats = Histogram::create(noting.context(), {HistogramKind::even, Type::f32, 256});
    REQUIRE(floats);
    Args of_floats = sound;
    of_floats.upper = 1;
    noting.check_refused<Histogram, Args>(
        *floats, of_floats,
        {{"upper", "infinite", [](Args& a) { a.upper = HUGE_VAL; }},
         {"lower", "infinite", [](Args& a) { a.lower = -HUGE_VAL; }},
         {"upper", "too near", [](Args& a) { a.upper = 0x1p-100; }},
         {"upper", "too far", [](Args& a) { a.upper = 0x1p120; }},
         {"upper", "equal as f32", [](Args& a) { a.lower = 1, a.upper = 1 + 1e-12; }}});

    const Result<Histogram> by_levels = Histogram::create(noting.context(), {HistogramKind::levels, Type::u32, 256});
    REQUIRE(by_levels);
    Args of_levels = sound;
    of_levels.levels = levels.range(4, 257 * 4);
    noting.check_refused<Histogram, Args>(*by_levels, of_levels,
                                          {{"levels", "null", [](Args& a) { a.levels.buffer = VK_NULL_HANDLE; }},
                                           {"levels", "a byte too small", [](Args& a) { --a.levels.size; }},
                                           {"levels", "off by 2", [](Args& a) { a.levels.offset += 2; }},
                                           {"output", "over the levels", [](Args& a) { a.output = a.levels; }}});
  }
}

}  // namespace weft::test
