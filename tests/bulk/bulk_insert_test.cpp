// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_insert.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "bulk/bulk_insert_calls.hpp"
#include "support/bulk_run.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test::bulk_insert_tests {
namespace {

const BulkInsert& create(Backend& backend, BulkShape shape) {
  return create<BulkInsert>(backend, BulkInsertConfig{shape.item_bytes, shape.index});
}

/// Inserts into `n` items, one at each of the positions. Gives the output.
Bytes check(Backend& backend, BulkShape shape, uint64_t n, const Indices& positions, const BulkOptions& options = {}) {
  CAPTURE(backend.name());
  CAPTURE(shape.item_bytes);
  CAPTURE(std::string(name_of(shape.index)));
  Bytes found;
  CHECK(wrong_insertion(backend.gpu(), create(backend, shape), shape.item_bytes, shape.index,
                        random_bytes(n * shape.item_bytes, n), random_bytes(positions.size() * shape.item_bytes, ~n),
                        positions, options, &found) == "");
  return found;
}

FuzzSubject subject_of(const BulkInsertConfig& given, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const BulkInsertConfig& config, Draws& draw) {
    const BulkShape shape{config.item_bytes, config.position};
    const uint64_t total = draw.count(create(backend, shape).tile_items());
    const uint64_t m = draw.below(total + 1), n = total - m;
    Indices positions = spread_positions(n, m, kEverySpread[draw.below(std::size(kEverySpread))], draw.word());
    const BulkOptions options = drawn_bulk_options(draw, config.item_bytes, n, positions);
    check(backend, shape, n, positions, options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("bulk_insert", [] {
  return std::vector{
      subject_of({2, Type::u32}),
      subject_of({4, Type::u32}, "bulk.workgroup=256,bulk.words=5"),
      subject_of({12, Type::u64}),
  };
});

}  // namespace

TEST_SUITE("bulk_insert") {
  TEST_CASE("both are in their order at every edge of the total [widths]") {
    for (Backend* backend : every_backend()) {
      const BulkShape shape{4, Type::u32};
      for (const uint64_t total : edges(*backend, create(*backend, shape).tile_items(), 4))
        for (const uint64_t m : std::set{uint64_t{0}, total / 5, total - std::min<uint64_t>(total, 2), total})
          check(*backend, shape, total - m, spread_positions(total - m, m, Spread::quarter, total));
    }
  }

  TEST_CASE("items of every size are inserted, wherever the positions are") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : bulk_shapes(*backend)) {
        const uint64_t tile = create(*backend, shape).tile_items();
        for (const uint64_t total : few_edges(tile))
          for (const Spread spread : kEverySpread) {
            const uint64_t m = spread == Spread::none ? 0 : total / (spread == Spread::all_but_few ? 1 : 3);
            check(*backend, shape, total - m, spread_positions(total - m, m, spread, total + 1));
          }
      }
  }

  TEST_CASE("items, positions and output begin anywhere that items may") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : bulk_shapes(*backend)) {
        const uint64_t tile = create(*backend, shape).tile_items();
        const VkDeviceSize step = std::min(shape.item_bytes, 4u);
        for (VkDeviceSize i = 0; i < 16 / step; ++i)
          for (const uint64_t n : {uint64_t{3}, 2 * tile - 2})
            check(*backend, shape, n, spread_positions(n, n / 3, Spread::quarter, i),
                  {.items_misalignment = i * step,
                   .inserted_misalignment = 3 * i * step % 16,
                   .indices_misalignment = 4 * (i % 4),
                   .output_misalignment = 5 * i * step % 16});
      }
  }

  TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const uint64_t m = create(*backend, shape).tile_items() + 11, n = m + 5;
        const Indices positions = spread_positions(n, m, Spread::quarter, 3);
        for (const DeviceCount& count : edge_counts(m, {m / 5, n, n + 1})) {
          CAPTURE(count.value);
          const DeviceCount half{m / 2, 12 - count.bytes};
          check(*backend, shape, n, positions, {.count = count});
          check(*backend, shape, n, positions, {.index_count = count});
          check(*backend, shape, n, positions, {.count = count, .index_count = half});
        }
      }
  }

  TEST_CASE("positions above the count are after all items") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const uint64_t n = create(*backend, shape).tile_items() + 7;
        Indices positions = spread_positions(n, n / 3, Spread::quarter, 3);
        for (uint64_t i = 0; i < 3000; ++i) positions.push_back(n + i * i);
        if (shape.index == Type::u64)
          for (uint64_t i = 0; i < 2000; ++i) positions.push_back((uint64_t{1} << (32 + i / 100)) + i % 100);
        check(*backend, shape, n, positions);
        check(*backend, shape, n, Indices(positions.end() - 1000, positions.end()));
        check(*backend, shape, 0, positions);
      }
  }

  TEST_CASE("positions that are not in order touch no other memory") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const uint64_t tile = create(*backend, shape).tile_items();
        const uint64_t n = 4 * tile + 3;
        const BulkOptions options{
            .output_misalignment = 4, .count = DeviceCount{n - 5}, .index_count = DeviceCount{n / 3}, .ordered = false};
        for (uint64_t seed = 0; seed < 4; ++seed) {
          Indices drawn(n / 2 + seed);
          for (uint64_t i = 0; i < drawn.size(); ++i)
            drawn[i] = random_word(seed, i) % (seed % 2 == 0 ? n + 100 : uint64_t{1} << 32);
          check(*backend, shape, n, drawn, options);
          std::ranges::sort(drawn, std::greater<>{});
          check(*backend, shape, n, drawn, options);
        }
      }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning : kBulkTunings) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend())
        for (const BulkShape& shape : kFewBulkShapes) {
          if (backend->is_emulated()) continue;  // builds these for long
          const uint64_t n = 2 * create(*backend, shape).tile_items() + 30;
          for (const Spread spread : {Spread::quarter, Spread::clusters})
            check(*backend, shape, n, spread_positions(n, n / 3, spread, 7));
        }
    }
  }

  TEST_CASE("more tiles than a dispatch has workgroups along one axis are filled [huge]") {
    // The smallest tiles there are.
    const ScopedTuning small_tiles("bulk.workgroup=128,bulk.words=1");
    Backend& backend = first_backend();
    const uint64_t groups = workgroups_along_x(backend);
    if (groups == 0) return;
    const uint64_t n = (groups + 3) * create(backend, {4, Type::u32}).tile_items();
    check(backend, {4, Type::u32}, n, spread_positions(n, 50'000, Spread::quarter, 1));
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const Indices positions = spread_positions(9000, 3000, Spread::quarter, 1);
        CHECK(check(*backend, shape, 9000, positions, {.dirt = 0xff}) ==
              check(*backend, shape, 9000, positions, {.dirt = 0}));
      }
  }

  TEST_CASE("scratch grows with both counts and is never nothing") {
    const BulkInsert& insert = create(first_backend(), {1, Type::u32});
    check_scratch_grows_with_both(insert);
  }

  TEST_CASE("other items and positions are refused [refusal]") { check_bulk_refusals<BulkInsert>(); }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<BulkInsert> test;
    test.check();
    test.check_taken([](auto& a) {
      a.count = a.inserted_count = 0;
      a.items = a.inserted = a.positions = a.output = {};
    });
    test.check_taken([](auto& a) { a.inserted = a.items; });
  }
}

}  // namespace weft::test::bulk_insert_tests
