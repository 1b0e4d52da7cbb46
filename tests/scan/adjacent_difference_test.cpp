// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/adjacent_difference.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <span>
#include <vector>

#include "scan/adjacent_difference_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test::adjacent_difference_tests {
namespace {

constexpr Neighbour kNeighbours[] = {Neighbour::left, Neighbour::right};

template <class T>
T difference_of(T a, T b) {
  if constexpr (std::is_same_v<T, F16>)
    return f16_of(float_of(a) - float_of(b));
  else
    return static_cast<T>(a - b);
}

template <class T>
std::vector<T> differences_of(std::span<const T> items, Neighbour neighbour) {
  std::vector<T> result(items.begin(), items.end());
  for (size_t i = 1; i < items.size(); ++i) {
    if (neighbour == Neighbour::left) result[i] = difference_of(items[i], items[i - 1]);
    if (neighbour == Neighbour::right) result[i - 1] = difference_of(items[i - 1], items[i]);
  }
  return result;
}

/// Runs it once and compares all that is written with the CPU's.
template <class T>
void check(Backend& backend, Neighbour neighbour, const std::vector<T>& items, const RunOptions& options = {}) {
  const AdjacentDifferenceConfig config{neighbour, item_type<T>()};
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  CAPTURE(items.size());
  PrimitiveCall call(backend.gpu(), options.dirt);
  const AdjacentDifferenceArgs args{call.input("input", items, options.input_misalignment),
                                    call.output("output", items.size() * sizeof(T), options.output_misalignment),
                                    call.count(options.device_count, items.size())};
  const auto looked_at = std::span(items).first(obeyed(options.device_count, items.size()));
  call.expect("output", differences_of(looked_at, neighbour));
  CHECK(call.wrong(create<AdjacentDifference>(backend, config), args) == "");
}

template <class T>
void check(Backend& backend, Neighbour neighbour, uint64_t n, const RunOptions& options = {}) {
  check(backend, neighbour, random_items<T>(n, n + 5), options);
}

/// Calls `test.operator()<T>()` for every type that the backend has.
template <class Test>
void for_every_item(Backend& backend, const Test& test) {
  const auto of = [&]<class... T>() { (test.template operator()<T>(), ...); };
  of.template operator()<uint8_t, uint16_t, uint32_t, uint64_t, int32_t, int64_t, F16, float>();
  if (backend.context().supports(Type::f64)) of.template operator()<double>();
}

template <class T>
uint64_t tile_items(Backend& backend) {
  return create<AdjacentDifference>(backend, {Neighbour::left, item_type<T>()}).tile_items();
}

template <class T>
FuzzSubject subject_of(Neighbour neighbour, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const AdjacentDifferenceConfig& config, Draws& draw) {
    const uint64_t n = draw.count(create<AdjacentDifference>(backend, config).tile_items());
    const auto items = draw.items<T>(n);
    check(backend, config.neighbour, items, drawn_options<T, T>(draw, n));
  };
  return {AdjacentDifferenceConfig{neighbour, item_type<T>()}, tuning, draw_case};
}

const FuzzSubjects fuzzed("adjacent_difference", [] {
  return std::vector{
      subject_of<uint32_t>(Neighbour::left),
      subject_of<uint8_t>(Neighbour::right, "adjacent_difference.rows=1"),
      subject_of<uint16_t>(Neighbour::left, "adjacent_difference.workgroup=256"),
      subject_of<int64_t>(Neighbour::right, "adjacent_difference.rows=3"),
      subject_of<F16>(Neighbour::right),
  };
});

}  // namespace

TEST_SUITE("adjacent_difference") {
  TEST_CASE("items of every type are subtracted, at every edge of the count [types] [bounds]") {
    for (Backend* backend : every_backend())
      for_every_item(*backend, [&]<class T>() {
        const uint64_t tile = tile_items<T>(*backend);
        for (const Neighbour neighbour : kNeighbours) {
          const bool is_first = std::is_same_v<T, uint32_t>;
          for (const uint64_t n : is_first ? edges(*backend, tile, 4) : few_edges(tile))
            check<T>(*backend, neighbour, n);
        }
      });
  }

  TEST_CASE("input and output begin at any multiple of the item [widths]") {
    for (Backend* backend : every_backend())
      for_every_item(*backend, [&]<class T>() {
        const VkDeviceSize step = std::min<VkDeviceSize>(sizeof(T), 4);
        for (VkDeviceSize i = 0; i < 16 / step; ++i)
          for (const uint64_t n : {uint64_t{3}, 2 * tile_items<T>(*backend) + 1})
            for (const Neighbour neighbour : kNeighbours) {
              check<T>(*backend, neighbour, n, {.input_misalignment = i * step, .output_misalignment = i * step});
              check<T>(*backend, neighbour, n,
                       {.input_misalignment = i * step, .output_misalignment = 5 * i * step % 16});
            }
      });
  }

  TEST_CASE("an item without a neighbour is copied bit for bit") {
    for (Backend* backend : every_backend())
      for (const uint64_t n : {uint64_t{1}, tile_items<float>(*backend)})
        for (const Neighbour neighbour : kNeighbours) {
          std::vector<float> items(n, 1.0f);
          std::vector<F16> halves(n, f16_of(1.0f));
          const size_t copied = neighbour == Neighbour::left ? 0 : n - 1;
          for (const uint32_t bits : {0x80000000u, 0x00000001u}) {
            items[copied] = std::bit_cast<float>(bits);
            const AdjacentDifferenceConfig config{neighbour, Type::f32};
            PrimitiveCall call(backend->gpu());
            const AdjacentDifferenceArgs args{call.input("input", items), call.output("output", 4 * n), n};
            call.expect_any("output", 4 * n);
            CHECK(call.wrong(create<AdjacentDifference>(*backend, config), args) == "");
            CHECK(items_of<uint32_t>(call.found("output"))[copied] == bits);
          }
          halves[copied] = F16{0x7e55};
          PrimitiveCall call(backend->gpu());
          const AdjacentDifferenceArgs args{call.input("input", halves), call.output("output", 2 * n), n};
          call.expect_any("output", 2 * n);
          CHECK(call.wrong(create<AdjacentDifference>(*backend, {neighbour, Type::f16}), args) == "");
          CHECK(items_of<uint16_t>(call.found("output"))[copied] == 0x7e55);
        }
  }

  TEST_CASE("counts on the device are obeyed, and never exceed their maximum") {
    for (Backend* backend : every_backend()) {
      const uint64_t tile = tile_items<uint16_t>(*backend), n = 2 * tile + 11;
      for (const Neighbour neighbour : kNeighbours)
        for (const DeviceCount& count : edge_counts(n, {tile, tile + 1}))
          check<uint16_t>(*backend, neighbour, n, {.device_count = count});
    }
  }

  TEST_CASE("differences are those of every tuning [tuning]") {
    for (const char* const tuning : {"adjacent_difference.rows=1", "adjacent_difference.rows=8",
                                     "adjacent_difference.workgroup=256,adjacent_difference.rows=3"}) {
      const ScopedTuning tuned(tuning);
      for (Backend* backend : every_backend())
        for (const Neighbour neighbour : kNeighbours) {
          check<uint32_t>(*backend, neighbour, 3 * tile_items<uint32_t>(*backend) + 5);
          check<uint8_t>(*backend, neighbour, 3 * tile_items<uint8_t>(*backend) + 5);
        }
    }
  }

  TEST_CASE("more tiles than one axis of a dispatch has workgroups [huge]") {
    const ScopedTuning tuned("adjacent_difference.workgroup=128,adjacent_difference.rows=1");
    Backend& backend = first_backend();
    const uint64_t n = (workgroups_along_x(backend) + 1) * tile_items<uint32_t>(backend);
    if (workgroups_along_x(backend) != 0) check<uint32_t>(backend, Neighbour::left, n);
  }

  TEST_CASE("u32x2 has no difference [refusal]") {
    const auto created = AdjacentDifference::create(first_backend().context(), {Neighbour::left, Type::u32x2});
    REQUIRE(!created);
    CHECK(created.error().code == ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name, and nothing is recorded [refusal]") {
    RefusalTest<AdjacentDifference> test;
    test.check(
        {{"count", "of more than 2^31 tiles", [&](auto& a) { a.count = uint64_t{test.primitive.tile_items()} << 31; }},
         {"output", "in place", [](auto& a) { a.output = a.input; }}});
    test.check_taken([](auto& a) { a.count = 0; });
  }
}

}  // namespace weft::test::adjacent_difference_tests

// Faults that these tests catch: tests/mutants.
// why: the first vector of a subgroup's row takes no item from before it
// file: shaders/scan/adjacent_difference.comp
// find: (first > tile.present.x || tile.has_left);
// with: first > tile.present.x;
// run: native --test-suite=adjacent_difference
