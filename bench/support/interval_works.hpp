// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/load_balance_search.hpp>

#include "support/interval_counts.hpp"
#include "support/work.hpp"

namespace weft::bench {

/// From offsets, or by a chain from counts, to a u32 for each output: the interval's index, or its value. Inputs are
/// the offsets or counts, and the values; outputs are those, the total and the status. `reports`: whether the last two
/// are written.
inline Work interval_work(const char* primitive, const Spread& spread, bool has_values,
                          IntervalsBy by = IntervalsBy::offsets, bool reports = true) {
  const bool by_counts = by == IntervalsBy::counts;
  return {primitive,
          spread.name() + (by_counts ? " chain" : ""),
          Type::u32,
          [=](ItemSource& source, uint64_t n) {
            Arrays arrays{by_counts ? source.cached<CountedIntervals>(spread, n).counts_array()
                                    : source.cached<IntervalCounts>(spread, n).offsets_array()};
            if (has_values) arrays.push_back(source.array(Data::noise(7), sizeof(uint32_t), spread.number(n)));
            return arrays;
          },
          writes({4}, reports ? Sizes{8, 4} : Sizes{}),
          [=](uint64_t n) { return 4 * (n + (has_values ? 2 : 1) * spread.number(n)); },
          [=](const Inputs& in, Outputs& out) {
            const auto& offsets = in.source.cached<IntervalCounts>(spread, in.n).offsets();
            const auto write = [&](uint64_t begin, uint64_t end, uint32_t* to) {
              oracle::SegmentCursor cursor(offsets, begin);
              for (uint64_t i = begin; i < end; ++i) {
                const uint64_t interval = cursor.at(i);
                *to++ = has_values ? in.as(1)[interval] : static_cast<uint32_t>(interval);
              }
            };
            return oracle::first_bad(
                reports ? oracle::same_count(in.n, out.read<uint64_t>(1)) : right(),
                reports ? oracle::same_count(0, out.read(2)) : right(),
                oracle::check_ranges<uint32_t>(has_values ? "value" : "source", in.n, write, out.fetch(0)));
          },
          "intervals"};
}

/// The means of rows on chains.
inline std::vector<Spread> chain_spreads() {
  std::vector<Spread> spreads;
  for (const uint32_t mean : {1u, 2u, 8u, 100u}) spreads.push_back({Spread::Kind::uniform, mean});
  for (const Spread::Kind kind : {Spread::Kind::half, Spread::Kind::zipf, Spread::Kind::sparse})
    spreads.push_back({kind, 8});
  return spreads;
}

/// Intervals of u32 gathered to one after the other, or scattered too; or of bytes, as buffers are copied in batches.
/// `reports`: whether the total and the status are written.
inline Work interval_move_work(const char* primitive, const Spread& spread, bool scatter, Type type,
                               bool reports = true) {
  const uint32_t item_bytes = size_of(type);
  return {primitive,
          spread.name(),
          type,
          [=](ItemSource& source, uint64_t n) {
            const auto& moved = source.cached<MovedIntervals>(spread, n);
            Arrays arrays{type == Type::u8 ? moved.counts_array() : moved.offsets_array(), moved.gather_array(),
                          source.array(Data::noise(11), sizeof(uint32_t), n * item_bytes / sizeof(uint32_t))};
            if (scatter) arrays.push_back(moved.scatter_array());
            return arrays;
          },
          writes({item_bytes}, reports ? Sizes{8, 8} : Sizes{}),
          [=](uint64_t n) { return 2 * n * item_bytes + (scatter ? 12 : 8) * spread.number(n); },
          [=](const Inputs& in, Outputs& out) {
            const auto& moved = in.source.cached<MovedIntervals>(spread, in.n);
            const uint32_t items_per_word = sizeof(uint32_t) / item_bytes;
            // In the order of the output.
            const auto at = [&](uint64_t k) { return scatter ? moved.scattered(k) : k; };
            return oracle::first_bad(
                reports ? oracle::same_count(in.n, out.read<uint64_t>(1)) : right(),
                oracle::check_pieces<uint32_t>(
                    "word", spread.number(in.n), [&](uint64_t k) { return moved.count(at(k)) / items_per_word; },
                    [&](uint64_t k, uint64_t j) { return in.as(2)[moved.gather()[at(k)] / items_per_word + j]; },
                    out.fetch(0)));
          },
          "intervals"};
}

/// The spreads of a primitive's rows on intervals: uniform ones of several means, and skewed ones. add(spread, sizes).
template <class Add>
void add_spreads(const Matrix& matrix, const Add& add) {
  const Sizes some = some_sizes(matrix);
  add(Spread{Spread::Kind::uniform, 25}, matrix.sizes);
  if (matrix.essential) return;
  for (const uint32_t mean : {5u, 1000u, 5000u}) add(Spread{Spread::Kind::uniform, mean}, some);
  for (const Spread::Kind kind : {Spread::Kind::half, Spread::Kind::zipf, Spread::Kind::sparse})
    add(Spread{kind, 25}, some);
}

}  // namespace weft::bench
