// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Segments to be sorted, the same in every program that measures, and whether they have been.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/interval_counts.hpp"
#include "support/sort_keys.hpp"

namespace weft::bench {

/// How many keys segments have: a mean, all, or by Zipf's law.
struct SegmentLengths {
  uint32_t mean = 0;  ///< 0: one segment has all
  bool zipf = false;

  Spread spread(uint64_t n) const {
    if (mean == 0) return {Spread::Kind::fixed, static_cast<uint32_t>(std::max<uint64_t>(n, 1))};
    return {zipf ? Spread::Kind::zipf : Spread::Kind::uniform, mean};
  }
  uint64_t number(uint64_t n) const { return IntervalCounts::number(spread(n), n); }
  std::string name() const { return mean == 0 ? "one segment" : spread(0).name(); }
};

inline constexpr uint32_t kEssentialMean = 100;

inline std::vector<SegmentLengths> segment_lengths(bool essential) {
  if (essential) return {{kEssentialMean}};
  return {{kEssentialMean}, {8}, {1000}, {10000}, {0}, {kEssentialMean, true}};
}

/// What a row is called.
inline std::string segmented_sort_variant(bool pairs, const SegmentLengths& lengths) {
  return std::string(pairs ? "pairs " : "keys ") + lengths.name();
}

/// Items of each segment in the order that sort(begin, end, out) puts those of [begin, end) into.
template <class T, class Sort>
Verdict check_sorted_segments(const char* what, const std::vector<uint32_t>& offsets, const Sort& sort,
                              const FetchOutputs& fetch) {
  constexpr uint64_t kSegments = 512;
  const auto number = [&](uint64_t begin, uint64_t end) { return oracle::Position{offsets[end] - offsets[begin]}; };
  const auto write = [&](uint64_t begin, uint64_t end, oracle::Position, T* out) {
    for (uint64_t s = begin; s < end; ++s) sort(offsets[s], offsets[s + 1], out + (offsets[s] - offsets[begin]));
  };
  return oracle::check_blocks<T>(what, offsets.size() - 1, oracle::Position{}, number, oracle::after, write, fetch,
                                 nullptr, kSegments);
}

/// Keys alone have to be those of the standard library's sort of each segment.
template <class T>
Verdict check_segments(SortInput& input, const std::vector<uint32_t>& offsets, const FetchOutputs& fetch) {
  if (offsets.size() == 2) return input.check_keys<T>(fetch);
  const auto keys = input.all_keys<T>();
  const auto sort = [&](uint32_t begin, uint32_t end, T* out) {
    std::copy(keys.begin() + begin, keys.begin() + end, out);
    std::sort(out, out + (end - begin));
  };
  return check_sorted_segments<T>("key", offsets, sort, fetch);
}

/// With values, which are indices: those of its stable sort.
template <class T>
Verdict check_segment_pairs(SortInput& input, const std::vector<uint32_t>& offsets, const FetchOutputs& fetch_keys,
                            const FetchOutputs& fetch_values) {
  if (offsets.size() == 2) return input.check_pairs<T>(fetch_keys, fetch_values);
  const auto keys = input.all_keys<T>();
  const auto sort = [&](uint32_t begin, uint32_t end, uint32_t* out) {
    std::iota(out, out + (end - begin), begin);
    std::sort(out, out + (end - begin),
              [&](uint32_t a, uint32_t b) { return keys[a] < keys[b] || (keys[a] == keys[b] && a < b); });
  };
  return oracle::first_bad(check_segments<T>(input, offsets, fetch_keys),
                           check_sorted_segments<uint32_t>("value", offsets, sort, fetch_values));
}

}  // namespace weft::bench
