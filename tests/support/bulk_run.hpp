// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs BulkRemove or BulkInsert once, in guarded buffers and on dirty scratch, and checks everything that holds for
// every run: the output is what the standard library makes, nothing else is written.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/bulk_insert.hpp>
#include <weft/bulk_remove.hpp>

#include "support/config_text.hpp"
#include "support/fuzz_subject.hpp"
#include "support/oracle.hpp"
#include "support/primitive_call.hpp"
#include "support/random.hpp"

namespace weft::test {

using Indices = std::vector<uint64_t>;

/// How indices lie in [0, n).
enum class Spread { none, all, first, last, quarter, few, clusters, all_but_few };
constexpr Spread kEverySpread[] = {Spread::none,    Spread::all, Spread::first,    Spread::last,
                                   Spread::quarter, Spread::few, Spread::clusters, Spread::all_but_few};

/// Ascending and distinct.
inline Indices spread_indices(uint64_t n, Spread spread, uint64_t seed) {
  Indices indices;
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t word = random_word(seed, i);
    bool there = false;
    switch (spread) {
      case Spread::none: break;
      case Spread::all: there = true; break;
      case Spread::first: there = i < (n + 3) / 4; break;
      case Spread::last: there = i >= n - n / 4; break;
      case Spread::quarter: there = word % 4 == 0; break;
      case Spread::few: there = word % 997 == 0; break;
      case Spread::clusters: there = random_word(seed, i / 700) % 3 == 0; break;
      case Spread::all_but_few: there = word % 97 != 0; break;
    }
    if (there) indices.push_back(i);
  }
  return indices;
}

/// Ascending, in [0, n]: m of them, about as many at one place as go with the spread.
inline Indices spread_positions(uint64_t n, uint64_t m, Spread spread, uint64_t seed) {
  Indices positions(m);
  for (uint64_t i = 0; i < m; ++i) {
    const uint64_t word = random_word(seed, i) >> 8;
    switch (spread) {
      case Spread::first: positions[i] = 0; break;
      case Spread::last: positions[i] = n; break;
      case Spread::all: positions[i] = n / 2; break;
      case Spread::few: positions[i] = word % 5 * (n / 4); break;
      case Spread::clusters: positions[i] = std::min(n, word % 7 * (n / 7) + word % 16); break;
      default: positions[i] = word % (n + 1); break;
    }
  }
  std::ranges::sort(positions);
  return positions;
}

constexpr const char* kBulkTunings[] = {"bulk.workgroup=256,bulk.words=16", "bulk.workgroup=128,bulk.words=1",
                                        "bulk.workgroup=256,bulk.words=3"};

/// Items and indices that no kernel has.
template <class Primitive>
void check_bulk_refusals() {
  for (const uint32_t bytes : {0u, 3u, 6u, 10u, 260u})
    CHECK(Primitive::create(first_backend().context(), {bytes, Type::u32}).status().error().code ==
          ErrorCode::unsupported);
  for (const Type index : {Type::u16, Type::i32, Type::i64, Type::f32})
    CHECK(Primitive::create(first_backend().context(), {4, index}).status().error().code == ErrorCode::unsupported);
}

struct BulkOptions {
  VkDeviceSize items_misalignment = 0, inserted_misalignment = 0, indices_misalignment = 0, output_misalignment = 0;
  std::optional<DeviceCount> count{}, index_count{};
  bool ordered = true;  ///< else nothing is expected of the output but that it ends where it must
  uint8_t dirt = 0xdb;
  std::optional<uint64_t> kept{};  ///< how many items a removal keeps that is not ordered, where that is certain
};

/// Gives what is wrong, or nothing; `found`: the whole output.
inline std::string wrong_removal(Gpu& gpu, const BulkRemove& remove, uint64_t item_bytes, Type index,
                                 const Bytes& items, const Indices& indices, const BulkOptions& options,
                                 Bytes* found = nullptr) {
  const uint64_t n = items.size() / item_bytes, count = obeyed(options.count, n);
  PrimitiveCall call(gpu, options.dirt);
  const BulkRemoveArgs args{call.input("items", items, options.items_misalignment),
                            call.input("indices", bytes_of_lengths(indices, index), options.indices_misalignment),
                            call.output("output", items.size(), options.output_misalignment),
                            call.output("kept", 8, 4),
                            call.scratch(remove.scratch_size(n)),
                            call.count(options.count, n),
                            call.count(options.index_count, indices.size())};
  if (options.ordered) {
    std::vector<bool> removed(count);
    for (uint64_t i = 0; i < obeyed(options.index_count, indices.size()); ++i)
      if (indices[i] < count) removed[indices[i]] = true;
    std::vector<uint32_t> kept;
    for (uint32_t i = 0; i < count; ++i)
      if (!removed[i]) kept.push_back(i);
    call.expect("output", gathered(items, item_bytes, kept), item_bytes);
    call.expect("kept", std::vector<uint64_t>{kept.size()});
  } else {
    call.expect_any("output", options.kept.value_or(count) * item_bytes);
    if (options.kept)
      call.expect("kept", std::vector{*options.kept});
    else
      call.expect_any("kept", 8);
  }
  const std::string wrong = call.wrong(remove, args);
  if (found != nullptr) *found = call.found("output");
  return wrong;
}

inline std::string wrong_insertion(Gpu& gpu, const BulkInsert& insert, uint64_t item_bytes, Type position,
                                   const Bytes& items, const Bytes& inserted, const Indices& positions,
                                   const BulkOptions& options, Bytes* found = nullptr) {
  const uint64_t n = items.size() / item_bytes, m = positions.size();
  PrimitiveCall call(gpu, options.dirt);
  const BulkInsertArgs args{
      call.input("items", items, options.items_misalignment),
      call.input("inserted", inserted, options.inserted_misalignment),
      call.input("positions", bytes_of_lengths(positions, position), options.indices_misalignment),
      call.output("output", (n + m) * item_bytes, options.output_misalignment),
      call.output("total", 8, 4),
      call.scratch(insert.scratch_size(n, m)),
      call.count(options.count, n),
      call.count(options.index_count, m)};
  const uint64_t count = obeyed(options.count, n), coming = obeyed(options.index_count, m);
  if (options.ordered) {
    Bytes expected;
    const auto append = [&](const Bytes& from, uint64_t i) {
      const auto item = std::span(from).subspan(i * item_bytes, item_bytes);
      expected.insert(expected.end(), item.begin(), item.end());
    };
    uint64_t next = 0;
    for (uint64_t i = 0; i <= count; ++i) {
      for (; next < coming && (i == count || positions[next] <= i); ++next) append(inserted, next);
      if (i < count) append(items, i);
    }
    call.expect("output", expected, item_bytes);
  } else {
    call.expect_any("output", (count + coming) * item_bytes);
  }
  call.expect("total", std::vector{count + coming});
  const std::string wrong = call.wrong(insert, args);
  if (found != nullptr) *found = call.found("output");
  return wrong;
}

/// Sizes of items that take a way of their own through the kernels, and types of indices.
struct BulkShape {
  uint32_t item_bytes;
  Type index;
};
constexpr BulkShape kBulkShapes[] = {{1, Type::u32},  {2, Type::u64},  {4, Type::u32},  {8, Type::u64},
                                     {16, Type::u32}, {12, Type::u32}, {40, Type::u64}, {256, Type::u32}};
/// Fewer of them, for emulated backends and tests that take long.
constexpr BulkShape kFewBulkShapes[] = {{1, Type::u32}, {4, Type::u32}, {40, Type::u64}};

inline std::span<const BulkShape> bulk_shapes(const Backend& backend) {
  if (backend.is_emulated()) return kFewBulkShapes;
  return kBulkShapes;
}

/// In one case of ten the indices become any, below 2n + 1.
inline BulkOptions drawn_bulk_options(Draws& draw, uint64_t item_bytes, uint64_t n, Indices& indices) {
  const bool ordered = !draw.one_in(10);
  if (!ordered)
    for (uint64_t& i : indices) i = draw.below(2 * n + 1);
  return {draw.misalignment(item_bytes),
          draw.misalignment(item_bytes),
          draw.misalignment(4),
          draw.misalignment(item_bytes),
          draw.device_count(n),
          draw.device_count(indices.size()),
          ordered,
          draw.dirt()};
}

}  // namespace weft::test
