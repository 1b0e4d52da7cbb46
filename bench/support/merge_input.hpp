// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sequences to be merged, the same in every program that measures, and whether they have been.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/bucket_sort.hpp"
#include "support/compaction_oracle.hpp"
#include "support/item_source.hpp"
#include "support/oracle.hpp"

namespace weft::bench {

/// How the keys of two sequences lie among each other.
enum class MergeSpread : uint8_t { random, interleaved, disjoint, one_sided, ties, reduced };

inline const char* name_of(MergeSpread spread) {
  switch (spread) {
    case MergeSpread::random: return "random";
    case MergeSpread::interleaved: return "interleaved";
    case MergeSpread::disjoint: return "disjoint";
    case MergeSpread::one_sided: return "1:1000";
    case MergeSpread::ties: return "ties";
    case MergeSpread::reduced: return "entropy reduced";
  }
  return "?";
}

/// What is written of a merge.
enum class MergeOutput : uint8_t { keys, pairs, index };

inline const char* name_of(MergeOutput output) {
  switch (output) {
    case MergeOutput::keys: return "merge_keys";
    case MergeOutput::pairs: return "merge_pairs";
    case MergeOutput::index: return "merge_index";
  }
  return "?";
}

/// Of `n` keys in all, those of sequence 0 or 1: half, but where it is one-sided.
inline uint64_t merge_count(MergeSpread spread, uint64_t n, uint32_t sequence) {
  const uint64_t first = spread == MergeSpread::one_sided ? n / 1000 : n / 2;
  return sequence == 0 ? first : n - first;
}

/// Values that go with the keys of a sequence.
inline Data merge_values(uint32_t sequence) { return Data::noise(sequence + 3); }

/// Keeps the last two sequences of unsigned keys that were asked for.
class MergeInput {
 public:
  template <class T>
  HostArray keys(ItemSource& source, MergeSpread spread, uint64_t n, uint32_t sequence) {
    const uint64_t count = merge_count(spread, n, sequence);
    // No array of the source has the highest bit in its id. Of each number of keys they begin differently.
    const uint64_t id = uint64_t{1} << 63 | uint64_t{sizeof(T)} << 56 | uint64_t{sequence} << 52 |
                        uint64_t{static_cast<uint8_t>(spread)} << 48 | n;
    Made& made = made_[sequence];
    if (made.id == id) return {made.keys, id};
    made.id = id;
    if (spread == MergeSpread::random || spread == MergeSpread::one_sided || spread == MergeSpread::reduced) {
      const HostArray noise = source.array(Data::noise(sequence + 1), sizeof(T), count);
      std::span<const T> drawn = items_of<T>(noise.bytes).first(count);
      std::vector<T> reduced;
      if (spread == MergeSpread::reduced) {
        // Of three random words, bits that all have set.
        for (uint64_t i = 0; i < count; ++i)
          reduced.push_back(drawn[i] & drawn[(i + count / 3) % count] & drawn[(i + 2 * count / 3) % count]);
        drawn = reduced;
      }
      sort_keys<T>(drawn, made.keys);
      return {made.keys, id};
    }
    made.keys.resize(count * sizeof(T));
    T* const to = reinterpret_cast<T*>(made.keys.data());
    const uint64_t first = sequence == 0 ? 0 : merge_count(spread, n, 0);
    constexpr uint64_t kValues = 1000;
    for (uint64_t i = 0; i < count; ++i)
      to[i] = static_cast<T>(spread == MergeSpread::interleaved ? 2 * i + sequence
                             : spread == MergeSpread::disjoint  ? first + i
                                                                : i * kValues / count);
    return {made.keys, id};
  }

 private:
  struct Made {
    uint64_t id = 0;
    std::vector<std::byte> keys;
  };
  std::array<Made, 2> made_;
};

/// `arrays`: both sequences' keys, then, of pairs, their values. The outputs of pairs are keys and values, else one of the two.
template <class T>
Verdict check_merge(MergeOutput output, const std::vector<HostArray>& arrays, const FetchOutputs& fetch,
                    const FetchOutputs& fetch_values = {}) {
  constexpr uint64_t kChunk = uint64_t{1} << 24;
  const std::span<const T> a = items_of<T>(arrays[0].bytes), b = items_of<T>(arrays[1].bytes);
  const uint64_t n = a.size() + b.size();
  uint64_t i = 0, j = 0;
  for (uint64_t first = 0; first < n; first += kChunk) {
    const uint64_t count = std::min<uint64_t>(kChunk, n - first);
    const auto found = fetch(first, count);
    if (!found) return found.error();
    std::span<const uint32_t> found_values;
    if (output == MergeOutput::pairs) {
      const auto bytes = fetch_values(first, count);
      if (!bytes) return bytes.error();
      found_values = items_of<uint32_t>(*bytes);
    }
    for (uint64_t k = 0; k < count; ++k) {
      const bool from_a = j == b.size() || (i < a.size() && a[i] <= b[j]);
      const uint64_t place = from_a ? i++ : j++;
      const bool index = output == MergeOutput::index;
      const uint64_t expected = index ? place + (from_a ? 0 : a.size()) : (from_a ? a : b)[place];
      const uint64_t actual = index ? items_of<uint32_t>(*found)[k] : items_of<T>(*found)[k];
      if (actual != expected)
        return std::optional(Mismatch{first + k, std::to_string(expected), std::to_string(actual)});
      if (output != MergeOutput::pairs) continue;
      const uint32_t value = items_of<uint32_t>(arrays[from_a ? 2 : 3].bytes)[place];
      if (found_values[k] != value)
        return std::optional(Mismatch{first + k, "value " + std::to_string(value), std::to_string(found_values[k])});
    }
  }
  return std::optional<Mismatch>();
}

}  // namespace weft::bench
