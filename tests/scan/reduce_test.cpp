// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/config_text.hpp"
#include "support/fuzz_subject.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/sizes.hpp"

namespace weft::test::reduce_tests {
namespace {

template <class T, class A = T>
ReduceConfig config_of(Op op) {
  return {op, item_type<T>(), item_type<A>()};
}

/// Reduces `n` items that suit the operator and compares.
template <class T, class A>
void check_reduce(Backend& backend, const Reduce& reduce, Op op, uint64_t n, RunOptions options = {},
                  std::optional<A> initial = {}) {
  CAPTURE(backend.name());
  CAPTURE(config_text(config_of<T, A>(op)));
  CAPTURE(n);
  const auto items = random_items<T>(n, n + 31 * static_cast<uint64_t>(op), op);
  if (initial) options.initial = Value::of(*initial);
  const std::vector actual{reduce_on<A>(backend.gpu(), reduce, items, options)};
  CHECK(difference(actual, std::vector{reduce_of<A>(std::span<const T>(items), op, initial)}) == "");
}

template <class T, class A = T>
void check_reduce(Backend& backend, Op op, uint64_t n, const RunOptions& options = {}, std::optional<A> initial = {}) {
  check_reduce<T, A>(backend, create<Reduce>(backend, config_of<T, A>(op)), op, n, options, initial);
}

template <class T>
void check_arg(Backend& backend, const std::vector<T>& items, Op op, const RunOptions& options) {
  CAPTURE(backend.name());
  CAPTURE(config_text(config_of<T>(op)));
  CAPTURE(items.size());
  const auto actual = reduce_on<ArgResult>(backend.gpu(), create<Reduce>(backend, config_of<T>(op)), items, options);
  const auto expected = arg_reduce_of(std::span(items).first(obeyed(options.device_count, items.size())), op);
  CHECK(actual.index == expected.index);
  CHECK(actual.value.bits == expected.value.bits);
}

template <class T>
void check_arg(Backend& backend, const std::vector<T>& items, const RunOptions& options = {}) {
  for (const Op op : {Op::arg_min, Op::arg_max}) check_arg(backend, items, op, options);
}

/// Calls `test.operator()<T>()` for every type that arg_min and arg_max take.
template <class Test>
void for_every_ordered_type(const Test& test) {
  for_every_type([&]<class T, class A>() {
    if constexpr (std::is_same_v<T, A> && !std::is_same_v<T, U32x2>) test.template operator()<T>();
  });
}

template <class T, class A = T>
FuzzSubject subject_of(Op op, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const ReduceConfig& config, Draws& draw) {
    const uint64_t n = draw.count(create<Reduce>(backend, config).tile_items());
    const auto items = draw.items<T>(n);
    if constexpr (!std::is_same_v<T, U32x2>)
      if (config.op == Op::arg_min || config.op == Op::arg_max)
        return check_arg(backend, items, config.op, drawn_options<T, ArgResult>(draw, n));
    const auto initial = drawn_initial<A>(draw, config.op);
    const RunOptions options = drawn_options<T, A>(draw, n, initial);
    const auto looked_at = std::span<const T>(items).first(obeyed(options.device_count, n));
    CHECK(difference(std::vector{reduce_on<A>(backend.gpu(), create<Reduce>(backend, config), items, options)},
                     std::vector{reduce_of<A>(looked_at, config.op, initial)}) == "");
  };
  return {ReduceConfig{op, item_type<T>(), item_type<A>()}, tuning, draw_case};
}

const FuzzSubjects fuzzed("reduce", [] {
  return std::vector{
      subject_of<uint32_t>(Op::add),
      subject_of<uint8_t, uint32_t>(Op::add, "reduce.rows=1"),
      subject_of<uint16_t>(Op::bit_or, "reduce.groups=2"),
      subject_of<float>(Op::min),
      subject_of<U32x2>(Op::affine, "reduce.groups=3"),
      subject_of<uint32_t>(Op::arg_min),
      subject_of<uint8_t>(Op::arg_max, "reduce.rows=2"),
  };
});

}  // namespace

TEST_SUITE("reduce") {
  TEST_CASE("every operator combines items of every type into every accumulator [types]") {
    const std::vector<Backend*> backends = every_backend();
    uint32_t combination = 0;
    for_every_type([&]<class T, class A>() {
      for (const Op op : operators_of<T>()) {
        // As in the test of scan: each combination on one backend in turn, natively every other time, and u32 on all.
        ++combination;
        for (size_t b = 0; b < backends.size(); ++b) {
          Backend& backend = *backends[b];
          const bool all = std::is_same_v<T, uint32_t> && std::is_same_v<A, uint32_t>;
          if (!all && b != (combination % 2 == 0 ? 0 : combination / 2 % backends.size())) continue;
          if (!is_in_share(combination)) continue;
          if (!backend.context().supports(item_type<T>()) || !backend.context().supports(item_type<A>())) continue;
          const uint64_t tile = create<Reduce>(backend, config_of<T, A>(op)).tile_items();
          for (const uint64_t n : {uint64_t{0}, tile / 2 + 3, 3 * tile + 5}) check_reduce<T, A>(backend, op, n);
        }
      }
    });
  }

  TEST_CASE("counts at and around every edge are reduced whole [bounds] [widths]") {
    for (Backend* backend : every_backend()) {
      for (const uint64_t n : edges(*backend, create<Reduce>(*backend, config_of<uint32_t>(Op::add)).tile_items(), 4))
        check_reduce<uint32_t>(*backend, Op::add, n);
      for (const uint64_t n :
           edges(*backend, create<Reduce>(*backend, config_of<uint8_t, uint32_t>(Op::add)).tile_items(), 1))
        check_reduce<uint8_t, uint32_t>(*backend, Op::add, n);
    }
  }

  TEST_CASE("items keep their order under an operator that does not commute [widths]") {
    for (Backend* backend : every_backend())
      for (const uint64_t n : edges(*backend, create<Reduce>(*backend, config_of<U32x2>(Op::affine)).tile_items(), 8))
        check_reduce<U32x2>(*backend, Op::affine, n);
  }

  TEST_CASE("runs of many tiles a workgroup are reduced whole and in order") {
    const ScopedTuning few_groups("reduce.groups=3");
    for (Backend* backend : every_backend()) {
      const Reduce& reduce = create<Reduce>(*backend, config_of<U32x2>(Op::affine));
      const uint64_t tile = reduce.tile_items();
      for (const uint64_t n : around({2 * tile, 3 * tile, 4 * tile, 6 * tile, 7 * tile, 30 * tile}))
        check_reduce<U32x2, U32x2>(*backend, reduce, Op::affine, n);
    }
  }

  TEST_CASE("more workgroups than the last one has lanes are reduced whole and in order [forms]") {
    const ScopedTuning small_tiles("reduce.workgroup=128,reduce.rows=1,reduce.groups=65535");
    for (Backend* backend : every_backend()) {
      const Reduce& reduce = create<Reduce>(*backend, config_of<U32x2>(Op::affine));
      for (const uint64_t tiles : {127, 128, 129, 700}) {
        check_reduce<U32x2, U32x2>(*backend, reduce, Op::affine, tiles * reduce.tile_items());
        check_reduce<U32x2, U32x2>(*backend, reduce, Op::affine, tiles * reduce.tile_items() + 1);
      }
    }
  }

  TEST_CASE("a long range is reduced whole") {
    for (Backend* backend : every_backend()) {
      const uint64_t n = backend->is_software() ? (backend->is_emulated() ? 1 << 20 : 5 << 20) + 7 : (1 << 28) + 7;
      check_reduce<uint32_t>(*backend, Op::add, n);
    }
  }

  TEST_CASE("no items give the initial value, or else the identity") {
    for (Backend* backend : every_backend())
      for_every_type([&]<class T, class A>() {
        if (!backend->context().supports(item_type<T>()) || !backend->context().supports(item_type<A>())) return;
        if (backend->is_emulated() && !std::is_same_v<T, uint32_t>) return;
        const Op op = operators_of<T>().front();
        check_reduce<T, A>(*backend, op, 0);
        check_reduce<T, A>(*backend, op, 0, {}, std::optional(distinct_initial<A>(op)));
      });
  }

  TEST_CASE("an initial value comes before the first item, once [forms]") {
    for (Backend* backend : every_backend())
      for_every_type([&]<class T, class A>() {
        if (!backend->context().supports(item_type<T>()) || !backend->context().supports(item_type<A>())) return;
        if (backend->is_emulated() && !std::is_same_v<T, U32x2>) return;
        const Op op = operators_of<T>().front();
        const uint64_t tile = create<Reduce>(*backend, config_of<T, A>(op)).tile_items();
        for (const uint64_t n : {uint64_t{1}, tile, 5 * tile + 3})
          check_reduce<T, A>(*backend, op, n, {}, std::optional(distinct_initial<A>(op)));
      });
  }

  TEST_CASE("the sum of narrow items fits a wide accumulator") {
    for (Backend* backend : every_backend()) {
      const std::vector<uint8_t> items(1000003, 255);
      CAPTURE(backend->name());
      CHECK(reduce_on<uint32_t>(backend->gpu(), create<Reduce>(*backend, config_of<uint8_t, uint32_t>(Op::add)),
                                items) == 255u * 1000003u);
      CHECK(reduce_on<uint16_t>(backend->gpu(), create<Reduce>(*backend, config_of<uint8_t, uint16_t>(Op::add)),
                                items) == static_cast<uint16_t>(255u * 1000003u));
      if (!backend->context().supports(Type::u64)) continue;
      const std::vector<uint32_t> large(70001, ~0u);
      CHECK(reduce_on<uint64_t>(backend->gpu(), create<Reduce>(*backend, config_of<uint32_t, uint64_t>(Op::add)),
                                large) == uint64_t{70001} * ~0u);
    }
  }

  TEST_CASE("the input begins at any item, the output at any multiple of its size [widths]") {
    for (Backend* backend : every_backend()) {
      const auto every_start = [&]<class T, class A>() {
        if (!backend->context().supports(item_type<T>()) || !backend->context().supports(item_type<A>())) return;
        const Op op = operators_of<T>().front();
        const uint64_t tile = create<Reduce>(*backend, config_of<T, A>(op)).tile_items();
        const VkDeviceSize input_step = std::min<size_t>(sizeof(T), 4), output_step = std::min<size_t>(sizeof(A), 4);
        for (VkDeviceSize input = 0; input < 16; input += input_step)
          for (const uint64_t n : {uint64_t{1}, uint64_t{2}, uint64_t{21}, tile - 1, tile, tile + 9})
            check_reduce<T, A>(*backend, op, n,
                               {.input_misalignment = input, .output_misalignment = (input + n) * output_step % 16});
      };
      every_start.operator()<uint8_t, uint8_t>();
      every_start.operator()<uint8_t, uint32_t>();
      every_start.operator()<uint16_t, uint16_t>();
      every_start.operator()<uint32_t, uint32_t>();
      every_start.operator()<U32x2, U32x2>();
      if (backend->is_emulated()) continue;
      every_start.operator()<F16, F16>();
      every_start.operator()<uint64_t, uint64_t>();
      every_start.operator()<float, double>();
    }
  }

  TEST_CASE("a count on the device above its maximum is taken as the maximum, one below is obeyed [bounds]") {
    for (Backend* backend : every_backend()) {
      const Reduce& reduce = create<Reduce>(*backend, config_of<uint32_t>(Op::add));
      const uint64_t maximum = 4 * uint64_t{reduce.tile_items()} + 11;
      const auto items = random_items<uint32_t>(maximum, 5);
      for (const DeviceCount& count : edge_counts(maximum, {7, uint64_t{1} << 40})) {
        CAPTURE(backend->name());
        CAPTURE(count.value);
        const RunOptions options{.device_count = count};
        CHECK(reduce_on<uint32_t>(backend->gpu(), reduce, items, options) ==
              reduce_of<uint32_t>(std::span(items).first(std::min(count.value, maximum)), Op::add));
      }
    }
  }

  TEST_CASE("whatever scratch and output held before, the result is the same [bounds]") {
    for (Backend* backend : every_backend())
      for (const uint8_t dirt : std::initializer_list<uint8_t>{0x00, 0x01, 0x7f, 0xde, 0xff})
        check_reduce<uint32_t>(*backend, Op::add, 40000, {.dirt = dirt});
  }

  TEST_CASE("float sums have the same bits on every run, and small errors") {
    for (Backend* backend : every_backend()) {
      const Reduce& reduce = create<Reduce>(*backend, config_of<float>(Op::add));
      const uint64_t n = 30 * uint64_t{reduce.tile_items()} + 77;
      std::vector<float> items(n);
      double exact = 0;
      for (uint64_t i = 0; i < n; ++i) {
        items[i] = static_cast<float>(random_word(9, i) >> 40) * 0x1p-24f + 0x1p-30f;
        exact += items[i];
      }
      const auto first = reduce_on<float>(backend->gpu(), reduce, items);
      CAPTURE(backend->name());
      for (int again = 0; again < 4; ++again) CHECK(same_bits(reduce_on<float>(backend->gpu(), reduce, items), first));
      const double additions = 64.0 + static_cast<double>(n) / reduce.tile_items();
      CHECK(std::abs(first - exact) <= exact * additions * 0x1p-24);
    }
  }

  TEST_CASE("where items hold NaN, the least and the largest are some item") {
    for (Backend* backend : every_backend())
      for (const Op op : {Op::min, Op::max}) {
        auto items = random_items<float>(9001, 12, op);
        for (uint64_t i = 0; i < items.size(); i += 1 + random_word(12, i) % 200)
          items[i] = std::numeric_limits<float>::quiet_NaN();
        const auto result = reduce_on<float>(backend->gpu(), create<Reduce>(*backend, config_of<float>(op)), items);
        CAPTURE(backend->name());
        CAPTURE(result);
        CHECK(std::ranges::any_of(
            items, [&](float item) { return item == result || (std::isnan(item) && std::isnan(result)); }));
      }
  }

  TEST_CASE("arg_min and arg_max give the extreme item and where it is first [widths]") {
    for (Backend* backend : every_backend())
      for_every_ordered_type([&]<class T>() {
        if (!backend->context().supports(item_type<T>())) return;
        if (backend->is_emulated() && !std::is_same_v<T, uint8_t> && !std::is_same_v<T, float>) return;
        const uint64_t tile = create<Reduce>(*backend, config_of<T>(Op::arg_min)).tile_items();
        for (const uint64_t n : {uint64_t{0}, uint64_t{1}, uint64_t{2}, tile - 1, tile + 1, 3 * tile + 5})
          check_arg(*backend, random_items<T>(n, 3, Op::add),
                    {.input_misalignment = n % 3 * std::min<VkDeviceSize>(sizeof(T), 4)});
      });
  }

  TEST_CASE("of equal extremes the first one counts, wherever the others are") {
    for (Backend* backend : every_backend()) {
      const uint64_t tile = create<Reduce>(*backend, config_of<uint32_t>(Op::arg_min)).tile_items();
      const uint64_t n = 5 * tile + 3;
      check_arg(*backend, std::vector<uint32_t>(n, 7));
      check_arg(*backend, std::vector<uint32_t>(n, 0));
      check_arg(*backend, std::vector<uint32_t>(n, ~0u));
      for (const uint64_t first : {uint64_t{0}, uint64_t{5}, tile - 1, tile, 3 * tile + 1, n - 1}) {
        std::vector<uint32_t> items(n, 1000);
        for (uint64_t i = first; i < n; i += 1 + tile / 3) items[i] = 3;
        check_arg(*backend, items);
        for (uint32_t& item : items) item = ~item;
        check_arg(*backend, items);
      }
    }
  }

  TEST_CASE("arg_min and arg_max order floats by IEEE totalOrder") {
    const auto in_total_order = [](Backend& backend, auto zero, auto of_bits) {
      using T = decltype(zero);
      // Signed zeros, infinities and NaNs of either sign and several payloads, the
      // extremes among them at varied positions.
      const std::vector<T> special = of_bits();
      for (size_t left_out = 0; left_out < special.size(); ++left_out) {
        std::vector<T> items;
        for (uint64_t i = 0; i < 3000; ++i)
          items.push_back(special[(left_out + 1 + random_word(left_out, i) % (special.size() - 1)) % special.size()]);
        check_arg(backend, items);
      }
      for (const T& a : special)
        for (const T& b : special) check_arg(backend, std::vector{a, b});
    };
    for (Backend* backend : every_backend()) {
      if (backend->is_emulated()) continue;
      in_total_order(*backend, float{}, [] {
        std::vector<float> items;
        for (const uint32_t bits : {0u, 1u, 0x7f800000u, 0x7fc00000u, 0x7fffffffu, 0x7f800001u, 0x3f800000u})
          for (const uint32_t sign : {0u, 0x80000000u}) items.push_back(std::bit_cast<float>(bits | sign));
        return items;
      });
      in_total_order(*backend, F16{}, [] {
        std::vector<F16> items;
        for (const uint32_t bits : {0u, 1u, 0x7c00u, 0x7e00u, 0x7fffu, 0x7c01u, 0x3c00u})
          for (const uint32_t sign : {0u, 0x8000u}) items.push_back({static_cast<uint16_t>(bits | sign)});
        return items;
      });
      if (!backend->context().supports(Type::f64)) continue;
      in_total_order(*backend, double{}, [] {
        std::vector<double> items;
        for (const uint64_t bits :
             {uint64_t{0}, uint64_t{1}, uint64_t{0x7ff0000000000000}, uint64_t{0x7ff8000000000000},
              uint64_t{0x7fffffffffffffff}, uint64_t{0x7ff0000000000001}})
          for (const uint64_t sign : {uint64_t{0}, uint64_t{1} << 63})
            items.push_back(std::bit_cast<double>(bits | sign));
        return items;
      });
    }
  }

  TEST_CASE("arg_min and arg_max obey a count on the device [bounds]") {
    for (Backend* backend : every_backend()) {
      const auto items = random_items<uint16_t>(30000, 4);
      for (const uint64_t on_device : {0, 1, 17, 29999, 30000, 30001})
        check_arg(*backend, items, {.device_count = DeviceCount{on_device}});
    }
  }

  TEST_CASE("scratch never shrinks with the count and is never nothing") {
    for (const Op op : {Op::add, Op::arg_max}) {
      const Reduce& reduce = create<Reduce>(first_backend(), config_of<uint32_t>(op));
      check_scratch_grows([&](uint64_t n) { return reduce.scratch_size(n); });
    }
  }

  TEST_CASE("operators and accumulators that do not go with the item are unsupported") {
    const ReduceConfig nonsense[] = {
        {Op::affine, Type::u32, Type::u32},      {Op::add, Type::u32x2, Type::u32x2},
        {Op::arg_min, Type::u32x2, Type::u32x2}, {Op::bit_or, Type::f64, Type::f64},
        {Op::arg_min, Type::u8, Type::u32},      {Op::add, Type::u64, Type::u32},
        {Op::add, Type::i32, Type::u32},         {Op::max, Type::f32, Type::u32},
    };
    for (const ReduceConfig& config : nonsense) {
      CAPTURE(config_text(config));
      const Result<Reduce> reduce = Reduce::create(first_backend().context(), config);
      REQUIRE(!reduce);
      CHECK((reduce.error().code == ErrorCode::unsupported ||
             (reduce.error().code == ErrorCode::missing_feature && !first_backend().context().supports(config.item))));
    }
  }

  TEST_CASE("types the device lacks are refused by the name of the missing feature [refusal]") {
    for (Backend* backend : every_backend())
      for (const auto& [type, feature] : {std::pair(Type::u64, "shaderInt64"), std::pair(Type::i64, "shaderInt64"),
                                          std::pair(Type::f64, "shaderFloat64")}) {
        const Result<Reduce> reduce = Reduce::create(backend->context(), {Op::add, type, type});
        CAPTURE(backend->name());
        CHECK(reduce.ok() == backend->context().supports(type));
        if (reduce) continue;
        CHECK(reduce.error().code == ErrorCode::missing_feature);
        CHECK(reduce.error().message.find(feature) != std::string::npos);
      }
  }

  TEST_CASE("more than 4 GiB and more than 2^32 items are reduced on a hardware GPU") {
    Backend& backend = first_backend();
    if (backend.is_software()) {
      MESSAGE("skipped: ", backend.name(), " is software");
      return;
    }
    Gpu& gpu = backend.gpu();
    const uint64_t n = (uint64_t{1} << 32) + (1 << 20) + 3;
    auto input = gpu.create_buffer((n + 15) / 16 * 16);
    const Reduce& sum = create<Reduce>(backend, config_of<uint8_t, uint32_t>(Op::add));
    const Reduce& largest = create<Reduce>(backend, config_of<uint8_t>(Op::arg_max));
    auto output = gpu.create_buffer(16);
    auto scratch = gpu.create_buffer(std::max(sum.scratch_size(n), largest.scratch_size(n)));
    if (!input || !output || !scratch) {
      MESSAGE("skipped: no memory for 4 GiB");
      return;
    }
    // Every item 1, and one 2 whose index needs more than 32 bits.
    const uint64_t position = (uint64_t{1} << 32) + 5;
    const std::byte two{2};
    REQUIRE(gpu.fill(input->range(), 0x01010101).ok());
    REQUIRE(gpu.upload(input->range(position, 1), std::span(&two, 1)).ok());
    const auto reduced = [&](const Reduce& reduce, std::span<std::byte> result) {
      const auto ran = gpu.run([&](VkCommandBuffer commands) {
        return reduce.record(commands, {input->range(0, n), output->range(), scratch->range(), n, {}});
      });
      if (!ran) FAIL(ran.error().message);
      REQUIRE(gpu.download(output->range(), result).ok());
    };
    uint32_t total = 0;
    reduced(sum, std::as_writable_bytes(std::span(&total, 1)));
    CHECK(total == static_cast<uint32_t>(n + 1));
    ArgResult arg{};
    reduced(largest, std::as_writable_bytes(std::span(&arg, 1)));
    CHECK(arg.index == position);
    CHECK(arg.value.bits == 2);
  }
}

}  // namespace weft::test::reduce_tests
