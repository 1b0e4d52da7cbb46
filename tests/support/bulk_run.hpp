// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs BulkRemove or BulkInsert once, in guarded buffers and on dirty scratch, and checks everything that holds for every run: the
// output is what the standard library makes, nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <weft/bulk_insert.hpp>
#include <weft/bulk_remove.hpp>

#include "support/device.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/search_run.hpp"

namespace weft::test {

using Bytes = std::vector<std::byte>;
using Indices = std::vector<uint64_t>;

inline Bytes random_bytes(uint64_t count, uint64_t seed) {
  Bytes bytes(count);
  for (uint64_t i = 0; i < count; i += 8) {
    const uint64_t word = random_word(seed, i / 8);
    std::memcpy(&bytes[i], &word, std::min<uint64_t>(8, count - i));
  }
  return bytes;
}

/// As they lie in memory.
inline Bytes bytes_of_indices(const Indices& indices, Type type) {
  Bytes bytes(indices.size() * size_of(type));
  for (size_t i = 0; i < indices.size(); ++i) std::memcpy(&bytes[i * size_of(type)], &indices[i], size_of(type));
  return bytes;
}

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

struct BulkOptions {
  VkDeviceSize items_misalignment = 0, inserted_misalignment = 0, indices_misalignment = 0, output_misalignment = 0;
  std::optional<DeviceCount> count{}, index_count{};
  bool ordered = true;  ///< else nothing is expected of the output but that it ends where it must
  uint8_t dirt = 0xdb;
};

/// What both primitives are given, and how it must be left.
class BulkCall {
 public:
  BulkCall(Gpu& gpu, const Bytes& given, uint64_t item_bytes, const Indices& given_indices, Type index,
           uint64_t outputs, VkDeviceSize scratch_bytes, const BulkOptions& options)
      : items_in_(given),
        indices_in_(bytes_of_indices(given_indices, index)),
        options_(options),
        items(gpu, given.size(), options.items_misalignment, given),
        indices(gpu, indices_in_.size(), options.indices_misalignment, indices_in_),
        output(gpu, outputs * item_bytes, options.output_misalignment, {}, options.dirt),
        total(gpu, 8, 4, {}, options.dirt),
        scratch(gpu, scratch_bytes, 0, {}, options.dirt),
        count(gpu, options.count, given.size() / item_bytes),
        index_count(gpu, options.index_count, given_indices.size()) {}

  /// `expected`: all that the output must hold, in front of what it held before; without order only how many bytes it may be.
  std::string wrong(Bytes expected, std::optional<uint64_t> expected_total, Bytes* found) {
    Bytes bytes;
    if (!items.read(bytes).empty() || bytes != items_in_) return "the items, or what lies around them, were written to";
    if (!indices.read(bytes).empty() || bytes != indices_in_)
      return "the indices, or what lies around them, were written to";
    if (const std::string spoilt = scratch.overwritten(); !spoilt.empty()) return "scratch: " + spoilt;
    if (const std::string spoilt = total.read(bytes); !spoilt.empty()) return "total: " + spoilt;
    uint64_t told = 0;
    std::memcpy(&told, bytes.data(), 8);
    if (expected_total && told != *expected_total)
      return "the total is " + std::to_string(told) + " instead of " + std::to_string(*expected_total);
    if (const std::string spoilt = output.read(bytes); !spoilt.empty()) return "output: " + spoilt;
    if (found != nullptr) *found = bytes;
    const size_t first = options_.ordered ? 0 : expected.size();
    expected.resize(bytes.size(), static_cast<std::byte>(options_.dirt));
    for (size_t i = first; i < bytes.size(); ++i)
      if (bytes[i] != expected[i])
        return "byte " + std::to_string(i) + " of " + std::to_string(bytes.size()) + " of the output is " +
               std::to_string(std::to_integer<int>(bytes[i])) + " instead of " +
               std::to_string(std::to_integer<int>(expected[i]));
    return {};
  }

 private:
  const Bytes& items_in_;
  Bytes indices_in_;
  BulkOptions options_;

 public:
  GuardedBuffer items, indices, output, total, scratch;
  GivenCount count, index_count;
};

/// Gives what is wrong, or nothing; `found`: the whole output.
inline std::string wrong_removal(Gpu& gpu, const BulkRemove& remove, uint64_t item_bytes, Type index,
                                 const Bytes& items, const Indices& indices, const BulkOptions& options,
                                 Bytes* found = nullptr) {
  const uint64_t n = items.size() / item_bytes;
  BulkCall call(gpu, items, item_bytes, indices, index, n, remove.scratch_size(n), options);
  const auto ran = gpu.run([&](VkCommandBuffer commands) {
    return remove.record(commands, {call.items.range(), call.indices.range(), call.output.range(), call.total.range(),
                                    call.scratch.range(), call.count.count(), call.index_count.count()});
  });
  if (!ran) return ran.error().message;
  const uint64_t obeyed = call.count.obeyed();
  if (!options.ordered) return call.wrong(Bytes(obeyed * item_bytes), std::nullopt, found);
  std::vector<bool> removed(obeyed);
  for (uint64_t i = 0; i < call.index_count.obeyed(); ++i)
    if (indices[i] < obeyed) removed[indices[i]] = true;
  Bytes expected;
  for (uint64_t i = 0; i < obeyed; ++i)
    if (!removed[i])
      expected.insert(expected.end(), items.begin() + static_cast<std::ptrdiff_t>(i * item_bytes),
                      items.begin() + static_cast<std::ptrdiff_t>((i + 1) * item_bytes));
  return call.wrong(expected, expected.size() / item_bytes, found);
}

inline std::string wrong_insertion(Gpu& gpu, const BulkInsert& insert, uint64_t item_bytes, Type position,
                                   const Bytes& items, const Bytes& inserted, const Indices& positions,
                                   const BulkOptions& options, Bytes* found = nullptr) {
  const uint64_t n = items.size() / item_bytes, m = positions.size();
  BulkCall call(gpu, items, item_bytes, positions, position, n + m, insert.scratch_size(n, m), options);
  GuardedBuffer coming(gpu, inserted.size(), options.inserted_misalignment, inserted);
  const auto ran = gpu.run([&](VkCommandBuffer commands) {
    return insert.record(
        commands, {call.items.range(), coming.range(), call.indices.range(), call.output.range(), call.total.range(),
                   call.scratch.range(), call.count.count(), call.index_count.count()});
  });
  if (!ran) return ran.error().message;
  Bytes left;
  if (!coming.read(left).empty() || left != inserted)
    return "the items that come in, or what lies around them, were written to";
  const uint64_t obeyed = call.count.obeyed(), coming_in = call.index_count.obeyed();
  Bytes expected;
  if (!options.ordered) {
    expected.resize((obeyed + coming_in) * item_bytes);
  } else {
    const auto append = [&](const Bytes& from, uint64_t i) {
      expected.insert(expected.end(), from.begin() + static_cast<std::ptrdiff_t>(i * item_bytes),
                      from.begin() + static_cast<std::ptrdiff_t>((i + 1) * item_bytes));
    };
    uint64_t next = 0;
    for (uint64_t i = 0; i <= obeyed; ++i) {
      for (; next < coming_in && (i == obeyed || positions[next] <= i); ++next) append(inserted, next);
      if (i < obeyed) append(items, i);
    }
  }
  return call.wrong(expected, obeyed + coming_in, found);
}

/// The primitive, built at the first request with the tuning of the environment.
template <class Primitive, class Config>
const Primitive& made_bulk(Backend& backend, uint32_t item_bytes, Type index) {
  return backend.primitive<Primitive>((std::is_same_v<Primitive, BulkRemove> ? "BulkRemove " : "BulkInsert ") +
                                          std::to_string(item_bytes) + ' ' + name_of(index),
                                      Config{item_bytes, index});
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

}  // namespace weft::test
