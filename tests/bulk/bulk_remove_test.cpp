// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_remove.hpp>

#include <doctest/doctest.h>

#include "bulk/bulk_remove_calls.hpp"
#include "support/bulk_run.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test::bulk_remove_tests {
namespace {

const BulkRemove& create(Backend& backend, BulkShape shape) {
  return create<BulkRemove>(backend, BulkRemoveConfig{shape.item_bytes, shape.index});
}

/// Removes from `n` items. Gives the output.
Bytes check(Backend& backend, BulkShape shape, uint64_t n, const Indices& indices, const BulkOptions& options = {}) {
  CAPTURE(backend.name());
  CAPTURE(shape.item_bytes);
  CAPTURE(std::string(name_of(shape.index)));
  Bytes found;
  CHECK(wrong_removal(backend.gpu(), create(backend, shape), shape.item_bytes, shape.index,
                      random_bytes(n * shape.item_bytes, n), indices, options, &found) == "");
  return found;
}

FuzzSubject subject_of(const BulkRemoveConfig& given, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const BulkRemoveConfig& config, Draws& draw) {
    const BulkShape shape{config.item_bytes, config.index};
    const uint64_t n = draw.count(create(backend, shape).tile_items());
    Indices indices = spread_indices(n, kEverySpread[draw.below(std::size(kEverySpread))], draw.word());
    const BulkOptions options = drawn_bulk_options(draw, config.item_bytes, n, indices);
    check(backend, shape, n, indices, options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("bulk_remove", [] {
  return std::vector{
      subject_of({1, Type::u32}),
      subject_of({4, Type::u64}, "bulk.workgroup=256,bulk.words=5"),
      subject_of({16, Type::u32}, "bulk.words=16"),
  };
});

}  // namespace

TEST_SUITE("bulk_remove") {
  TEST_CASE("what stays closes up at every edge of the count [widths]") {
    for (Backend* backend : every_backend()) {
      const BulkShape shape{4, Type::u32};
      for (const uint64_t n : edges(*backend, create(*backend, shape).tile_items(), 4))
        for (const Spread spread : {Spread::none, Spread::all, Spread::quarter})
          check(*backend, shape, n, spread_indices(n, spread, n));
    }
  }

  TEST_CASE("items of every size are removed, wherever the indices are") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : bulk_shapes(*backend)) {
        const uint64_t tile = create(*backend, shape).tile_items();
        for (const uint64_t n : few_edges(tile))
          for (const Spread spread : kEverySpread) check(*backend, shape, n, spread_indices(n, spread, n + 1));
      }
  }

  TEST_CASE("items, indices and output begin anywhere that items may [forms]") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : bulk_shapes(*backend)) {
        const uint64_t tile = create(*backend, shape).tile_items();
        const VkDeviceSize step = std::min(shape.item_bytes, 4u);
        for (VkDeviceSize i = 0; i < 16 / step; ++i)
          for (const uint64_t n : {uint64_t{3}, 2 * tile - 2, 2 * tile + 2})
            check(*backend, shape, n, spread_indices(n, n == 3 ? Spread::first : Spread::quarter, i),
                  {.items_misalignment = i * step,
                   .indices_misalignment = 4 * (i % 4),
                   .output_misalignment = 5 * i * step % 16});
      }
  }

  TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const uint64_t n = 2 * create(*backend, shape).tile_items() + 11;
        const Indices indices = spread_indices(n, Spread::quarter, 3);
        for (const DeviceCount& count : edge_counts(n, {n / 5})) {
          CAPTURE(count.value);
          const DeviceCount half{n / 8, 12 - count.bytes};
          check(*backend, shape, n, indices, {.count = count});
          check(*backend, shape, n, indices, {.index_count = count});
          check(*backend, shape, n, indices, {.count = count, .index_count = half});
        }
      }
  }

  TEST_CASE("indices from the count on remove nothing") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const uint64_t n = create(*backend, shape).tile_items() + 7;
        Indices indices = spread_indices(n, Spread::quarter, 3);
        for (uint64_t i = 0; i < 3000; ++i) indices.push_back(n + i * i);
        if (shape.index == Type::u64)
          for (uint64_t i = 0; i < 2000; ++i) indices.push_back((uint64_t{1} << (32 + i / 100)) + i % 100);
        check(*backend, shape, n, indices);
        check(*backend, shape, n, Indices(indices.end() - 1000, indices.end()));
      }
  }

  TEST_CASE("indices that are repeated or not in order touch no other memory") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const uint64_t tile = create(*backend, shape).tile_items();
        const uint64_t n = 4 * tile + 3;
        const BulkOptions options{.output_misalignment = 4, .count = DeviceCount{3 * tile + 5}, .ordered = false};
        for (uint64_t seed = 0; seed < 4; ++seed) {
          Indices drawn(n / 2 + seed);
          for (uint64_t i = 0; i < drawn.size(); ++i)
            drawn[i] = random_word(seed, i) % (seed % 2 == 0 ? n + 100 : uint64_t{1} << 32);
          check(*backend, shape, n, drawn, options);
          std::ranges::sort(drawn);
          check(*backend, shape, n, drawn, options);
          std::ranges::reverse(drawn);
          check(*backend, shape, n, drawn, options);
        }
        for (const uint64_t index : {uint64_t{0}, tile, n - 1, ~uint64_t{0}})
          check(*backend, shape, n, Indices(2 * n, index), options);
      }
  }

  TEST_CASE("the output is right up to the first index that is repeated, and less is kept by each") {
    Backend& backend = first_backend();
    const BulkRemove& remove = create(backend, {4, Type::u32});
    const uint64_t n = 3 * remove.tile_items();
    const Indices distinct = spread_indices(n, Spread::quarter, 5);
    const Bytes items = random_bytes(4 * n, 6);
    Bytes expected, found;
    CHECK(wrong_removal(backend.gpu(), remove, 4, Type::u32, items, distinct, {}, &expected) == "");
    for (const size_t repeated : {distinct.size() / 2, distinct.size() - 1}) {
      Indices indices = distinct;
      indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(repeated), 3, indices[repeated]);
      const uint64_t kept = n - indices.size();
      CHECK(wrong_removal(backend.gpu(), remove, 4, Type::u32, items, indices, {.ordered = false, .kept = kept},
                          &found) == "");
      const auto right = static_cast<std::ptrdiff_t>(4 * std::min(kept, distinct[repeated] - repeated));
      CHECK(std::equal(found.begin(), found.begin() + right, expected.begin()));
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning : kBulkTunings) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend())
        for (const BulkShape& shape : kFewBulkShapes) {
          if (backend->is_emulated()) continue;  // builds these for long
          const uint64_t n = 2 * create(*backend, shape).tile_items() + 30;
          for (const Spread spread : {Spread::quarter, Spread::all_but_few, Spread::clusters})
            check(*backend, shape, n, spread_indices(n, spread, 7));
        }
    }
  }

  TEST_CASE("more tiles than a dispatch has workgroups along one axis are gone through [huge]") {
    // The smallest tiles there are.
    const ScopedTuning small_tiles("bulk.workgroup=128,bulk.words=1");
    Backend& backend = first_backend();
    const uint64_t groups = workgroups_along_x(backend);
    if (groups == 0) return;
    const uint64_t n = (groups + 3) * create(backend, {4, Type::u32}).tile_items();
    check(backend, {4, Type::u32}, n, spread_indices(n, Spread::few, 1));
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const Indices indices = spread_indices(9000, Spread::quarter, 1);
        Bytes a = check(*backend, shape, 9000, indices, {.dirt = 0xff});
        Bytes b = check(*backend, shape, 9000, indices, {.dirt = 0});
        for (Bytes* found : {&a, &b}) found->resize((9000 - indices.size()) * shape.item_bytes);
        CHECK(a == b);
      }
  }

  TEST_CASE("scratch grows with the count and is never nothing") {
    const BulkRemove& remove = create(first_backend(), {1, Type::u32});
    check_scratch_grows([&](uint64_t n) { return remove.scratch_size(n); }, ~uint64_t{0});
  }

  TEST_CASE("other items and indices are refused [refusal]") { check_bulk_refusals<BulkRemove>(); }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<BulkRemove> test;
    test.check();
    test.check_taken([](auto& a) {
      a.count = a.index_count = 0;
      a.items = a.indices = a.output = {};
    });
    test.check_taken([](auto& a) { a.index_count = 0, a.indices = {}; });
  }
}

}  // namespace weft::test::bulk_remove_tests
