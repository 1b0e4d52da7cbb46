// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_remove.hpp>

#include <doctest/doctest.h>

#include "support/bulk_run.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test {
namespace {

const BulkRemove& made(Backend& backend, BulkShape shape) {
  return made_bulk<BulkRemove, BulkRemoveConfig>(backend, shape.item_bytes, shape.index);
}

/// Removes from `n` items. Gives the output.
Bytes check(Backend& backend, BulkShape shape, uint64_t n, const Indices& indices, const BulkOptions& options = {}) {
  CAPTURE(backend.name());
  CAPTURE(shape.item_bytes);
  CAPTURE(std::string(name_of(shape.index)));
  CAPTURE(n);
  CAPTURE(indices.size());
  CAPTURE(options.items_misalignment);
  CAPTURE(options.indices_misalignment);
  CAPTURE(options.output_misalignment);
  Bytes found;
  CHECK(wrong_removal(backend.gpu(), made(backend, shape), shape.item_bytes, shape.index,
                      random_bytes(n * shape.item_bytes, n), indices, options, &found) == "");
  return found;
}

}  // namespace

TEST_SUITE("bulk_remove") {
  TEST_CASE("what stays closes up at every edge of the count") {
    for (Backend* backend : every_backend()) {
      const BulkShape shape{4, Type::u32};
      for (const uint64_t n : edges(*backend, made(*backend, shape).tile_items(), 4))
        for (const Spread spread : {Spread::none, Spread::all, Spread::quarter})
          check(*backend, shape, n, spread_indices(n, spread, n));
    }
  }

  TEST_CASE("items of every size are removed, wherever the indices are") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : bulk_shapes(*backend)) {
        const uint64_t tile = made(*backend, shape).tile_items();
        for (const uint64_t n : few_edges(tile))
          for (const Spread spread : kEverySpread) check(*backend, shape, n, spread_indices(n, spread, n + 1));
      }
  }

  TEST_CASE("items, indices and output begin anywhere that items may [forms]") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : bulk_shapes(*backend)) {
        const uint64_t tile = made(*backend, shape).tile_items();
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
        const uint64_t n = 2 * made(*backend, shape).tile_items() + 11;
        const Indices indices = spread_indices(n, Spread::quarter, 3);
        for (const uint32_t bytes : {4u, 8u})
          for (const uint64_t value :
               {uint64_t{0}, uint64_t{1}, n / 5, n - 1, n, n + 1, bytes == 4 ? uint64_t{~0u} : ~uint64_t{0}}) {
            CAPTURE(value);
            const DeviceCount count{value, bytes}, half{n / 8, 12 - bytes};
            check(*backend, shape, n, indices, {.count = count});
            check(*backend, shape, n, indices, {.index_count = count});
            check(*backend, shape, n, indices, {.count = count, .index_count = half});
          }
      }
  }

  TEST_CASE("indices from the count on remove nothing") {
    for (Backend* backend : every_backend())
      for (const BulkShape& shape : kFewBulkShapes) {
        const uint64_t n = made(*backend, shape).tile_items() + 7;
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
        const uint64_t tile = made(*backend, shape).tile_items();
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
    const BulkRemove& remove = made(backend, {4, Type::u32});
    const uint64_t n = 3 * remove.tile_items();
    const Indices distinct = spread_indices(n, Spread::quarter, 5);
    const Bytes items = random_bytes(4 * n, 6);
    Bytes expected, found;
    CHECK(wrong_removal(backend.gpu(), remove, 4, Type::u32, items, distinct, {}, &expected) == "");
    for (const size_t repeated : {distinct.size() / 2, distinct.size() - 1}) {
      Indices indices = distinct;
      indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(repeated), 3, indices[repeated]);
      BulkCall call(backend.gpu(), items, 4, indices, Type::u32, n, remove.scratch_size(n), {.ordered = false});
      const auto ran = backend.gpu().run([&](VkCommandBuffer commands) {
        return remove.record(commands, {call.items.range(), call.indices.range(), call.output.range(),
                                        call.total.range(), call.scratch.range(), n, indices.size()});
      });
      REQUIRE(ran.ok());
      const uint64_t kept = n - indices.size();
      CHECK(call.wrong(Bytes(kept * 4), kept, &found) == "");
      const auto right = static_cast<std::ptrdiff_t>(4 * std::min(kept, distinct[repeated] - repeated));
      CHECK(std::equal(found.begin(), found.begin() + right, expected.begin()));
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning :
         {"bulk.workgroup=256,bulk.words=16", "bulk.workgroup=128,bulk.words=1", "bulk.workgroup=256,bulk.words=3"}) {
      const ScopedTuning overrides(tuning);
      CAPTURE(std::string(tuning));
      for (Backend* backend : every_backend())
        for (const BulkShape& shape : kFewBulkShapes) {
          if (backend->is_emulated()) continue;  // builds these for long
          const uint64_t n = 2 * made(*backend, shape).tile_items() + 30;
          for (const Spread spread : {Spread::quarter, Spread::all_but_few, Spread::clusters})
            check(*backend, shape, n, spread_indices(n, spread, 7));
        }
    }
  }

  TEST_CASE("more tiles than a dispatch has workgroups along one axis are gone through [huge]") {
    // The smallest tiles there are.
    const ScopedTuning small_tiles("bulk.workgroup=128,bulk.words=1");
    Backend& backend = first_backend();
    VkPhysicalDeviceProperties properties;
    reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(loader_entry_point()(
        backend.gpu().instance(), "vkGetPhysicalDeviceProperties"))(backend.gpu().physical_device(), &properties);
    const uint64_t groups = properties.limits.maxComputeWorkGroupCount[0];
    if (groups > 1u << 17) {
      MESSAGE("one axis takes ", groups, " workgroups: too many items to try");
      return;
    }
    const uint64_t n = (groups + 3) * made(backend, {4, Type::u32}).tile_items();
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
    const BulkRemove& remove = made(first_backend(), {1, Type::u32});
    CHECK(remove.scratch_size(0) != 0);
    for (uint64_t count = 1; count != 0; count *= 2)
      CHECK(remove.scratch_size(count - 1) <= remove.scratch_size(count));
    CHECK(remove.scratch_size(~uint64_t{0}) >= remove.scratch_size(uint64_t{1} << 63));
  }

  TEST_CASE("other items and indices are refused [refusal]") {
    for (const uint32_t bytes : {0u, 3u, 6u, 10u, 260u})
      CHECK(BulkRemove::create(first_backend().context(), {bytes, Type::u32}).status().error().code ==
            ErrorCode::unsupported);
    for (const Type index : {Type::u16, Type::i32, Type::i64, Type::f32})
      CHECK(BulkRemove::create(first_backend().context(), {4, index}).status().error().code == ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    using Args = BulkRemoveArgs;
    NotingGpu noting;
    const Result<BulkRemove> remove = BulkRemove::create(noting.context(), {});
    REQUIRE(remove);
    constexpr uint64_t kCount = 5000, kIndices = 3000;
    const Buffer inputs = noting.made(8 * (kCount + kIndices)), output = noting.made(8 * kCount),
                 counts = noting.made(64), scratch = noting.made(1 << 16);
    for (const Buffer* buffer : {&inputs, &counts}) REQUIRE(noting.gpu().fill(buffer->range(), 1).ok());
    const Args sound{inputs.range(16, 4 * kCount),
                     inputs.range(16 + 4 * kCount, 4 * kIndices),
                     output.range(16, 4 * kCount),
                     counts.range(16, 8),
                     scratch.range(0, remove->scratch_size(kCount)),
                     kCount,
                     kIndices};
    noting.check_refused<BulkRemove, Args>(
        *remove, sound,
        {{"items", "null", [](Args& a) { a.items.buffer = VK_NULL_HANDLE; }},
         {"items", "a byte too small", [](Args& a) { --a.items.size; }},
         {"items", "off by 2", [](Args& a) { a.items.offset += 2; }},
         {"indices", "null", [](Args& a) { a.indices.buffer = VK_NULL_HANDLE; }},
         {"indices", "a byte too small", [](Args& a) { --a.indices.size; }},
         {"indices", "off by 2", [](Args& a) { a.indices.offset += 2; }},
         {"output", "null", [](Args& a) { a.output.buffer = VK_NULL_HANDLE; }},
         {"output", "a byte too small", [](Args& a) { --a.output.size; }},
         {"output", "off by 1", [](Args& a) { a.output.offset += 1; }},
         {"output", "over the items", [](Args& a) { a.output = a.items; }},
         {"indices", "over the output", [](Args& a) { a.output = a.indices, a.output.size = 4 * kCount; }},
         {"kept", "null", [](Args& a) { a.kept.buffer = VK_NULL_HANDLE; }},
         {"kept", "a byte too small", [](Args& a) { --a.kept.size; }},
         {"kept", "off by 2", [](Args& a) { a.kept.offset += 2; }},
         {"kept", "in the output", [](Args& a) { a.kept = a.output; }},
         {"scratch", "null", [](Args& a) { a.scratch.buffer = VK_NULL_HANDLE; }},
         {"scratch", "a byte too small", [](Args& a) { --a.scratch.size; }},
         {"scratch", "off by 8", [](Args& a) { a.scratch.offset += 8; }},
         {"scratch", "over the items", [](Args& a) { a.scratch = a.items; }},
         {"count", "a byte on the device", [&](Args& a) { a.count = Count::on_device(counts.range(0, 1), kCount); }},
         {"count", "in the output", [&](Args& a) { a.count = Count::on_device(output.range(16, 4), kCount); }},
         {"count", "of all bits", [](Args& a) { a.count = ~uint64_t{0}; }},
         {"index_count", "off by 2 on the device",
          [&](Args& a) { a.index_count = Count::on_device(counts.range(2, 4), kIndices); }},
         {"index_count", "what is written",
          [&](Args& a) { a.index_count = Count::on_device(counts.range(16, 8), kIndices); }},
         {"index_count", "of all bits", [](Args& a) { a.index_count = ~uint64_t{0}; }}});
    Args nothing = sound;
    nothing.count = nothing.index_count = 0;
    nothing.items = nothing.indices = nothing.output = {};
    CHECK(!noting.record(*remove, nothing));
    Args no_indices = sound;
    no_indices.index_count = 0;
    no_indices.indices = {};
    CHECK(!noting.record(*remove, no_indices));
  }
}

}  // namespace weft::test
