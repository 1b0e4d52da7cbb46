// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sequences of unsigned keys to be merged, the same in every program that measures, and whether they have been.
#pragma once

#include "support/work.hpp"

namespace weft::bench {

/// How the keys of two sequences lie among each other.
enum class MergeSpread : uint8_t { random, interleaved, disjoint, one_sided, ties, reduced };

inline const char* name_of(MergeSpread spread) {
  constexpr const char* kNames[] = {"random", "interleaved", "disjoint", "1:1000", "ties", "entropy reduced"};
  return kNames[static_cast<size_t>(spread)];
}
inline constexpr MergeSpread kSkewedSpreads[] = {MergeSpread::interleaved, MergeSpread::disjoint,
                                                 MergeSpread::one_sided, MergeSpread::ties, MergeSpread::reduced};

/// What is written of a merge.
enum class MergeOutput : uint8_t { keys, pairs, index };

/// Of `n` keys in all, those of sequence 0 or 1: half, but where it is one-sided.
inline uint64_t merge_count(MergeSpread spread, uint64_t n, uint32_t sequence) {
  const uint64_t first = spread == MergeSpread::one_sided ? n / 1000 : n / 2;
  return sequence == 0 ? first : n - first;
}

/// A sequence of neither random nor one-sided ones, whose keys are an ItemSource's.
class MergeKeys {
 public:
  MergeKeys(uint64_t id, MergeSpread spread, uint32_t key_bytes, uint64_t n, uint32_t sequence) : id_(id) {
    keys_.resize(merge_count(spread, n, sequence) * key_bytes);
    key_bytes == 4 ? make<uint32_t>(spread, n, sequence) : make<uint64_t>(spread, n, sequence);
  }
  HostArray array() const { return {keys_, id_}; }
  uint64_t bytes() const { return keys_.size(); }

 private:
  template <class T>
  void make(MergeSpread spread, uint64_t n, uint32_t sequence) {
    const std::span<T> keys(reinterpret_cast<T*>(keys_.data()), keys_.size() / sizeof(T));
    const uint64_t count = keys.size(), first = sequence == 0 ? 0 : merge_count(spread, n, 0);
    const auto noise = [&](uint64_t i) {
      return static_cast<T>(uint64_t{random_word(2 * i, sequence + 1)} << 32 | random_word(2 * i + 1, sequence + 1));
    };
    constexpr uint64_t kValues = 1000;
    for_each_range(count, [&](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; ++i) switch (spread) {
          case MergeSpread::interleaved: keys[i] = static_cast<T>(2 * i + sequence); break;
          case MergeSpread::disjoint: keys[i] = static_cast<T>(first + i); break;
          case MergeSpread::ties: keys[i] = static_cast<T>(i * kValues / count); break;
          // Of three random words, bits that all have set.
          default: keys[i] = static_cast<T>(noise(3 * i) & noise(3 * i + 1) & noise(3 * i + 2)); break;
        }
    });
    if (spread == MergeSpread::reduced) sort_on_host(keys);
  }

  uint64_t id_;
  ByteArray keys_;
};

/// Both sequences' keys, of `n` in all, then, of pairs, their values of 4 bytes. `of_one`: the first sequence's keys
/// twice.
inline Arrays merge_arrays(ItemSource& source, MergeSpread spread, uint32_t key_bytes, uint64_t n, bool pairs,
                           bool of_one = false) {
  Arrays arrays;
  for (const uint32_t sequence : {0u, of_one ? 0u : 1u})
    arrays.push_back(spread == MergeSpread::random || spread == MergeSpread::one_sided
                         ? source.array(Data::sorted(sequence + 1), key_bytes, merge_count(spread, n, sequence))
                         : source.cached<MergeKeys>(spread, key_bytes, n, sequence).array());
  for (const uint32_t sequence : {0, 1})
    if (pairs) arrays.push_back(source.array(Data::noise(sequence + 3), 4, merge_count(spread, n, sequence)));
  return arrays;
}

/// `n`: keys of both sequences together. Values, which pairs have beside keys, are u32.
inline Work merge_work(MergeOutput output, MergeSpread spread, Type key) {
  constexpr const char* kNames[] = {"merge_keys", "merge_pairs", "merge_index"};
  const bool pairs = output == MergeOutput::pairs, is_index = output == MergeOutput::index;
  const uint32_t key_bytes = size_of(key), output_bytes = is_index ? 4 : key_bytes;
  const auto check = [=]<class T>(const Inputs& in, Outputs& out, T*) {
    const std::span<const T> a = in.as<T>(0), b = in.as<T>(1);
    // Output is make(from_a, index in that sequence).
    const auto check_output = [&]<class Out>(const char* what, Out*, size_t index, const auto& make) {
      const auto write = [&](uint64_t begin, uint64_t end, Out* to) {
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
          *to++ = make(from_a, from_a ? i++ : j++);
        }
      };
      return oracle::check_ranges<Out>(what, in.n, write, out.fetch(index, sizeof(Out)));
    };
    uint32_t* const words = nullptr;
    if (is_index)
      return check_output("index", words, 0,
                          [&](bool from_a, uint64_t i) { return static_cast<uint32_t>(i + (from_a ? 0 : a.size())); });
    const Verdict keys =
        check_output("key", static_cast<T*>(nullptr), 0, [&](bool from_a, uint64_t i) { return (from_a ? a : b)[i]; });
    if (!pairs) return keys;
    return oracle::first_bad(
        keys, check_output("value", words, 1, [&](bool from_a, uint64_t i) { return in.as(from_a ? 2 : 3)[i]; }));
  };
  return {kNames[static_cast<size_t>(output)],
          name_of(spread),
          key,
          [=](ItemSource& source, uint64_t n) { return merge_arrays(source, spread, key_bytes, n, pairs); },
          writes(pairs ? Sizes{key_bytes, 4} : Sizes{output_bytes}),
          moves(key_bytes + output_bytes + (pairs ? 8 : 0)),
          [=](const Inputs& in, Outputs& out) {
            return with_key(key_bytes, [&](auto* type) { return check(in, out, type); });
          }};
}

}  // namespace weft::bench
