// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Items in segments described by u32 offsets.
#pragma once

#include <numeric>

#include "support/interval_works.hpp"
#include "support/sort_keys.hpp"

namespace weft::bench {

/// The u32 items, and their offsets.
inline auto reads_segments(const Spread& spread) {
  return [spread](ItemSource& source, uint64_t n) {
    return Arrays{source.items(Type::u32, n), source.cached<IntervalCounts>(spread, n).offsets_array()};
  };
}

/// Sums of u32.
inline Work segmented_reduce_work(const Spread& spread) {
  return {"segmented_reduce",
          "add " + spread.name(),
          Type::u32,
          reads_segments(spread),
          [=](uint64_t n) { return Sizes{4 * spread.number(n)}; },
          [=](uint64_t n) { return 4 * n + 8 * spread.number(n); },
          [](const Inputs& in, Outputs& out) {
            const auto values = in.as(0), offsets = in.as(1);
            const auto sum_of = [&](uint64_t s) {
              return std::accumulate(values.begin() + offsets[s], values.begin() + offsets[s + 1], 0u);
            };
            return oracle::check_each<uint32_t>("sum", offsets.size() - 1, sum_of, out.fetch(0));
          },
          "intervals"};
}

/// Inclusive sums of u32.
inline Work segmented_scan_work(const Spread& spread) {
  return {"segmented_scan",
          "inclusive add " + spread.name(),
          Type::u32,
          reads_segments(spread),
          writes({4}),
          [=](uint64_t n) { return 8 * n + 4 * spread.number(n); },
          [](const Inputs& in, Outputs& out) {
            const auto offsets = in.as(1);
            const auto heads = [&](uint64_t begin) {
              return [&, cursor = oracle::SegmentCursor(offsets, begin)](uint64_t i) mutable {
                return offsets[cursor.at(i)] == i;
              };
            };
            return oracle::check_sums(
                in.as(0), heads, [](uint64_t) { return true; }, out.fetch(0));
          },
          "intervals"};
}

/// How many keys segments have: a mean, all, or by Zipf's law.
struct SegmentLengths {
  uint32_t mean = 0;  ///< 0: one segment has all
  bool zipf = false;

  Spread spread(uint64_t n) const {
    if (mean == 0) return {Spread::Kind::fixed, static_cast<uint32_t>(std::max<uint64_t>(n, 1))};
    return {zipf ? Spread::Kind::zipf : Spread::Kind::uniform, mean};
  }
  std::string name() const { return mean == 0 ? "one segment" : spread(0).name(); }
};

inline constexpr uint32_t kEssentialMean = 100;

inline std::vector<SegmentLengths> segment_lengths(bool essential) {
  if (essential) return {{kEssentialMean}};
  return {{kEssentialMean}, {8}, {1000}, {10000}, {0}, {kEssentialMean, true}};
}

/// Keys alone have to be those of the standard library's sort of each segment; values, which are indices, those of its
/// stable sort.
template <class T>
Verdict check_sorted_segments(SortInput& input, std::span<const uint32_t> offsets, bool pairs, Outputs& out) {
  const FetchOutputs fetch = out.fetch(0, sizeof(T));
  if (offsets.size() == 2) return pairs ? input.check_pairs<T>(fetch, out.fetch(1)) : input.check_keys<T>(fetch);
  const auto keys = input.all<T>();
  // Items of each segment in the order that sort(begin, end, out) puts those of [begin, end) into.
  const auto check = [&]<class Item>(const char* what, Item*, const auto& sort, const FetchOutputs& items) {
    constexpr uint64_t kSegments = 512;
    const auto number = [&](uint64_t begin, uint64_t end) { return oracle::Position{offsets[end] - offsets[begin]}; };
    const auto write = [&](uint64_t begin, uint64_t end, oracle::Position, Item* to) {
      for (uint64_t s = begin; s < end; ++s) sort(offsets[s], offsets[s + 1], to + (offsets[s] - offsets[begin]));
    };
    return oracle::check_blocks<Item>(what, offsets.size() - 1, oracle::Position{}, number, oracle::after, write, items,
                                      nullptr, kSegments);
  };
  const auto sort_keys = [&](uint32_t begin, uint32_t end, T* to) {
    std::copy(keys.begin() + begin, keys.begin() + end, to);
    std::sort(to, to + (end - begin));
  };
  const Verdict sorted = check("key", static_cast<T*>(nullptr), sort_keys, fetch);
  if (!pairs) return sorted;
  const auto sort_values = [&](uint32_t begin, uint32_t end, uint32_t* to) {
    std::iota(to, to + (end - begin), begin);
    std::sort(to, to + (end - begin),
              [&](uint32_t a, uint32_t b) { return std::pair(keys[a], a) < std::pair(keys[b], b); });
  };
  return oracle::first_bad(sorted, check("value", static_cast<uint32_t*>(nullptr), sort_values, out.fetch(1)));
}

/// Random keys alone, or with values of 4 bytes.
inline Work segmented_sort_work(const SegmentLengths& lengths, Type key, bool pairs) {
  const uint32_t key_bytes = size_of(key);
  return {"segmented_sort",
          (pairs ? "pairs " : "keys ") + lengths.name(),
          key,
          [=](ItemSource& source, uint64_t n) {
            SortInput& input = source.cached<SortInput>(Keys::random, key_bytes, n);
            Arrays arrays{input.keys(), source.cached<IntervalCounts>(lengths.spread(n), n).offsets_array()};
            if (pairs) arrays.push_back(input.values());
            return arrays;
          },
          writes(pairs ? Sizes{key_bytes, 4} : Sizes{key_bytes}),
          [=](uint64_t n) { return 2 * n * (key_bytes + (pairs ? 4 : 0)) + 4 * lengths.spread(n).number(n); },
          [=](const Inputs& in, Outputs& out) {
            return with_key(key_bytes, [&]<class T>(T*) {
              return check_sorted_segments<T>(in.source.cached<SortInput>(Keys::random, key_bytes, in.n), in.as(1),
                                              pairs, out);
            });
          },
          name_of(Keys::random)};
}

}  // namespace weft::bench
