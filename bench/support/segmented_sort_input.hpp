// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Segments to be sorted, the same in every program that measures, and whether they have been.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
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

/// Keys alone have to be those of the standard library's sort of each segment.
template <class T>
Result<std::optional<Mismatch>> check_segments(const SortInput& input, const std::vector<uint32_t>& offsets,
                                               const FetchOutputs& fetch) {
  const auto given = input.all_keys<T>();
  std::vector<T> expected(given.begin(), given.end());
  const uint64_t segments = offsets.size() - 1;
  if (segments == 1) {
    sort_on_host(std::span(expected));
  } else {
    constexpr uint64_t kBlock = 256;
    for_each_block((segments + kBlock - 1) / kBlock, [&](uint64_t block) {
      for (uint64_t s = block * kBlock; s < std::min(segments, (block + 1) * kBlock); ++s)
        std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1]);
    });
  }
  for (uint64_t first = 0; first < expected.size(); first += kChunkKeys) {
    const auto bytes = fetch(first, std::min(kChunkKeys, expected.size() - first));
    if (!bytes) return bytes.error();
    const std::span found(reinterpret_cast<const T*>(bytes->data()), bytes->size() / sizeof(T));
    for (uint64_t i = 0; i < found.size(); ++i)
      if (found[i] != expected[first + i])
        return std::optional(Mismatch{first + i, std::to_string(expected[first + i]), std::to_string(found[i])});
  }
  return std::optional<Mismatch>();
}

/// Of values it is enough that each lies in its segment and brought its key along, and that neither keys fall nor values of equal keys:
/// then all values differ, and the sort is the stable one.
template <class T>
Result<std::optional<Mismatch>> check_segment_pairs(const SortInput& input, const std::vector<uint32_t>& offsets,
                                                    const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values) {
  const auto given = input.all_keys<T>();
  T last_key = 0;
  uint32_t last_value = 0;
  uint64_t segment = 0;
  for (uint64_t first = 0; first < given.size(); first += kChunkKeys) {
    const uint64_t count = std::min(kChunkKeys, given.size() - first);
    const auto key_bytes = fetch_keys(first, count);
    if (!key_bytes) return key_bytes.error();
    const auto value_bytes = fetch_values(first, count);
    if (!value_bytes) return value_bytes.error();
    const auto* keys = reinterpret_cast<const T*>(key_bytes->data());
    const auto* values = reinterpret_cast<const uint32_t*>(value_bytes->data());
    for (uint64_t i = 0; i < count; ++i) {
      while (offsets[segment + 1] <= first + i) ++segment;
      const bool is_first = first + i == offsets[segment];
      const bool in_order = is_first || last_key < keys[i] || (last_key == keys[i] && last_value < values[i]);
      if (!in_order || values[i] < offsets[segment] || values[i] >= offsets[segment + 1] || given[values[i]] != keys[i])
        return std::optional(Mismatch{
            first + i,
            "a pair of the segment behind (" + std::to_string(last_key) + ", " + std::to_string(last_value) + ')',
            '(' + std::to_string(keys[i]) + ", " + std::to_string(values[i]) + ')'});
      last_key = keys[i];
      last_value = values[i];
    }
  }
  return std::optional<Mismatch>();
}

}  // namespace weft::bench
