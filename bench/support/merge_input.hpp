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
  /// There is one in an ItemSource.
  static uint64_t id_of() { return 0; }
  uint64_t bytes() const { return kept_[0].keys.size() + kept_[1].keys.size(); }

  template <class T>
  HostArray keys(ItemSource& source, MergeSpread spread, uint64_t n, uint32_t sequence) {
    const uint64_t count = merge_count(spread, n, sequence);
    if (spread == MergeSpread::random || spread == MergeSpread::one_sided)
      return source.array(Data::sorted(sequence + 1), sizeof(T), count);
    // No array of the source has the highest bit in its id. Of each number of keys they begin differently.
    const uint64_t id = uint64_t{1} << 63 | uint64_t{sizeof(T)} << 56 | uint64_t{sequence} << 52 |
                        uint64_t{static_cast<uint8_t>(spread)} << 48 | n;
    Kept& kept = kept_[sequence];
    if (kept.id == id) return {kept.keys, id};
    kept.id = id;
    kept.keys.resize(count * sizeof(T));
    T* const to = reinterpret_cast<T*>(kept.keys.data());
    if (spread == MergeSpread::reduced) {
      // Of three random words, bits that all have set.
      const std::span<const T> drawn = items_of<T>(source.array(Data::noise(sequence + 1), sizeof(T), count).bytes);
      std::vector<T> reduced;
      for (uint64_t i = 0; i < count; ++i)
        reduced.push_back(drawn[i] & drawn[(i + count / 3) % count] & drawn[(i + 2 * count / 3) % count]);
      sort_keys<T>(reduced, to);
      return {kept.keys, id};
    }
    const uint64_t first = sequence == 0 ? 0 : merge_count(spread, n, 0);
    constexpr uint64_t kValues = 1000;
    for (uint64_t i = 0; i < count; ++i)
      to[i] = static_cast<T>(spread == MergeSpread::interleaved ? 2 * i + sequence
                             : spread == MergeSpread::disjoint  ? first + i
                                                                : i * kValues / count);
    return {kept.keys, id};
  }

 private:
  struct Kept {
    uint64_t id = 0;
    ByteArray keys;
  };
  std::array<Kept, 2> kept_;
};

/// Of a row of weft-bench: both sequences' keys, of `n` in all, then, of pairs, their values of 4 bytes.
inline std::vector<HostArray> merge_arrays(ItemSource& source, MergeSpread spread, uint32_t key_bytes, uint64_t n,
                                           bool pairs, bool of_one = false) {
  MergeInput& input = source.cached<MergeInput>();
  std::vector<HostArray> arrays;
  for (const uint32_t sequence : {0u, of_one ? 0u : 1u})
    arrays.push_back(key_bytes == 4 ? input.keys<uint32_t>(source, spread, n, sequence)
                                    : input.keys<uint64_t>(source, spread, n, sequence));
  for (const uint32_t sequence : {0, 1})
    if (pairs)
      arrays.push_back(source.array(merge_values(sequence), sizeof(uint32_t), merge_count(spread, n, sequence)));
  return arrays;
}

/// `arrays`: both sequences' keys, then, of pairs, their values. The outputs of pairs are keys
/// and values, else one of the two.
template <class T>
Verdict check_merge(MergeOutput output, const std::vector<HostArray>& arrays, const FetchOutputs& fetch,
                    const FetchOutputs& fetch_values = {}) {
  const std::span<const T> a = items_of<T>(arrays[0].bytes), b = items_of<T>(arrays[1].bytes);
  const uint64_t n = a.size() + b.size();
  // Output is make(from_a, index in that sequence).
  const auto check = [&]<class Out>(const char* what, Out*, const FetchOutputs& outputs, const auto& make) {
    const auto write = [&](uint64_t begin, uint64_t end, Out* out) {
      // How many of the first `begin` keys are a's: equal ones of a come first.
      uint64_t low = begin > b.size() ? begin - b.size() : 0, high = std::min<uint64_t>(begin, a.size());
      while (low < high) {
        const uint64_t i = (low + high) / 2;
        if (a[i] <= b[begin - i - 1])
          low = i + 1;
        else
          high = i;
      }
      for (uint64_t i = low, j = begin - low; i + j < end;) {
        const bool from_a = j == b.size() || (i < a.size() && a[i] <= b[j]);
        *out++ = make(from_a, from_a ? i++ : j++);
      }
    };
    return oracle::check_ranges<Out>(what, n, write, outputs);
  };
  if (output == MergeOutput::index)
    return check("index", static_cast<uint32_t*>(nullptr), fetch,
                 [&](bool from_a, uint64_t i) { return static_cast<uint32_t>(i + (from_a ? 0 : a.size())); });
  const Verdict keys =
      check("key", static_cast<T*>(nullptr), fetch, [&](bool from_a, uint64_t i) { return (from_a ? a : b)[i]; });
  if (output == MergeOutput::keys) return keys;
  return oracle::first_bad(
      keys, check("value", static_cast<uint32_t*>(nullptr), fetch_values,
                  [&](bool from_a, uint64_t i) { return items_of<uint32_t>(arrays[from_a ? 2 : 3].bytes)[i]; }));
}

}  // namespace weft::bench
