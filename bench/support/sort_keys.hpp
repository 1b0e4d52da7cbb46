// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Keys to be sorted, the same in every program that measures, and whether they have been.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/compaction_oracle.hpp"
#include "support/item_source.hpp"
#include "support/parallel.hpp"

namespace weft::bench {

/// How keys are distributed.
enum class Keys : uint8_t {
  random,
  sorted,
  reversed,
  equal,    ///< all of them
  few,      ///< sixteen different ones
  reduced,  ///< of less entropy: three random words, of which bits that all have set stay
};

inline const char* name_of(Keys keys) {
  constexpr const char* kNames[] = {"random", "sorted", "reversed", "all equal", "16 distinct", "entropy reduced"};
  return kNames[static_cast<size_t>(keys)];
}

inline constexpr Keys kSkewedKeys[] = {Keys::sorted, Keys::reversed, Keys::equal, Keys::few, Keys::reduced};

/// Unsigned keys of 4 or 8 bytes, and the values that go with them: their indices.
class SortInput {
 public:
  SortInput(uint64_t id, Keys kind, uint32_t key_bytes, uint64_t n) : id_(id), n_(n) {
    keys_.resize(n * key_bytes);
    key_bytes == 4 ? make<uint32_t>(kind) : make<uint64_t>(kind);
  }

  uint64_t bytes() const { return keys_.size() + sorted_.size() + values_.size(); }

  HostArray keys() const { return {keys_, id_}; }
  template <class T>
  std::span<const T> all() const {
    return items_of<T>(keys_);
  }
  HostArray values() {
    if (values_.size() == 0) {
      values_.resize(n_ * sizeof(uint32_t));
      uint32_t* const values = reinterpret_cast<uint32_t*>(values_.data());
      for_each_range(n_, [&](uint64_t begin, uint64_t end) {
        std::iota(values + begin, values + end, static_cast<uint32_t>(begin));
      });
    }
    return {values_, id_ + 1};
  }

  /// Keys alone have to be those of the standard library's sort.
  template <class T>
  Verdict check_keys(const FetchOutputs& fetch) {
    if (fetch.sampled()) return check_sampled_keys<T>(fetch);
    if (sorted_.size() == 0) {
      sorted_.resize(keys_.size());
      std::memcpy(sorted_.data(), keys_.data(), keys_.size());
      sort_on_host(std::span(reinterpret_cast<T*>(sorted_.data()), n_));
    }
    return oracle::check_items("key", items_of<T>(sorted_), fetch);
  }

  /// Of values it is enough that they do not fall where keys are equal, that keys do not fall, and that each value's
  /// key is the one it went in with: then all values differ, and the sort is the stable one.
  template <class T>
  Verdict check_pairs(const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values) {
    constexpr uint64_t kChunkKeys = uint64_t{1} << 24;
    if (fetch_keys.sampled()) return check_sampled_pairs<T>(fetch_keys, fetch_values);
    std::optional<Pair<T>> last;
    Verdict verdict = right();
    for (uint64_t first = 0; first < n_ && verdict && !*verdict; first += kChunkKeys)
      verdict = check_order<T>(first, std::min(kChunkKeys, n_ - first), fetch_keys, fetch_values, last);
    return verdict;
  }

 private:
  template <class T>
  using Pair = std::pair<T, uint32_t>;
  template <class T>
  static std::string text(const Pair<T>& pair) {
    return '(' + std::to_string(pair.first) + ", " + std::to_string(pair.second) + ')';
  }

  /// Whether `count` pairs are of the input and ascend, from `last` on, which becomes the last of them.
  template <class T>
  Verdict check_order(uint64_t first, uint64_t count, const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values,
                      std::optional<Pair<T>>& last) const {
    const auto keys = all<T>();
    const auto found_keys = fetch_keys(first, count);
    if (!found_keys) return found_keys.error();
    const auto found_values = fetch_values(first, count);
    if (!found_values) return found_values.error();
    for (uint64_t i = 0; i < count; ++i) {
      const Pair<T> pair(items_of<T>(*found_keys)[i], items_of<uint32_t>(*found_values)[i]);
      if ((last && !(*last < pair)) || pair.second >= n_ || keys[pair.second] != pair.first)
        return wrong(first + i, last ? "a pair of the input after " + text(*last) : "a pair of the input", text(pair));
      last = pair;
    }
    return right();
  }

  /// Outputs in some windows. Pairs that ascend are the right ones if the first and the last of them are, whose index
  /// is how many pairs of the input are below.
  template <class T>
  Verdict check_sampled_pairs(const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values) const {
    const auto keys = all<T>();
    for (const uint64_t first : windows()) {
      const uint64_t count = std::min(kWindowKeys, n_);
      std::array<std::optional<Pair<T>>, 2> ends;
      Verdict verdict = check_order<T>(first, 1, fetch_keys, fetch_values, ends[0]);
      if (!verdict || *verdict) return verdict;
      ends[1] = ends[0];
      verdict = check_order<T>(first + 1, count - 1, fetch_keys, fetch_values, ends[1]);
      if (!verdict || *verdict) return verdict;
      std::array<std::atomic<uint64_t>, 2> ranks{};
      for_each_range(n_, [&](uint64_t begin, uint64_t end) {
        std::array<uint64_t, 2> below{};
        for (uint64_t i = begin; i < end; ++i)
          for (const size_t e : {0, 1}) below[e] += Pair<T>(keys[i], static_cast<uint32_t>(i)) < *ends[e] ? 1 : 0;
        for (const size_t e : {0, 1}) ranks[e] += below[e];
      });
      for (const size_t e : {0, 1})
        if (const uint64_t index = first + e * (count - 1); ranks[e] != index)
          return wrong(index, "the pair of that index", text(*ends[e]) + " of index " + std::to_string(ranks[e]));
    }
    return right();
  }

  /// Of keys alone, all of the input that are from a window's first to its last are sorted for comparison.
  template <class T>
  Verdict check_sampled_keys(const FetchOutputs& fetch) const {
    const auto keys = all<T>();
    for (const uint64_t first : windows()) {
      const auto bytes = fetch(first, std::min(kWindowKeys, n_));
      if (!bytes) return bytes.error();
      const auto found = items_of<T>(*bytes);
      std::vector<T> expected;
      uint64_t before = 0;
      std::mutex mutex;
      for_each_range(n_, [&](uint64_t begin, uint64_t end) {
        std::vector<T> inside;
        uint64_t below = 0;
        for (uint64_t i = begin; i < end; ++i) {
          below += keys[i] < found.front() ? 1 : 0;
          if (keys[i] >= found.front() && keys[i] <= found.back()) inside.push_back(keys[i]);
        }
        const std::lock_guard lock(mutex);
        before += below;
        expected.insert(expected.end(), inside.begin(), inside.end());
      });
      sort_on_host(std::span(expected));
      for (uint64_t i = 0; i < found.size(); ++i) {
        const bool is_near = first + i >= before && first + i - before < expected.size();
        if (is_near && expected[first + i - before] == found[i]) continue;
        return wrong(first + i,
                     is_near ? "key " + std::to_string(expected[first + i - before]) : "a key of another index",
                     std::to_string(found[i]));
      }
    }
    return right();
  }

  static constexpr uint64_t kWindowKeys = uint64_t{1} << 14;
  /// Where they begin: at both ends and between.
  std::array<uint64_t, 6> windows() const {
    std::array<uint64_t, 6> begins{};
    for (size_t i = 0; i < begins.size(); ++i) begins[i] = (n_ - std::min(n_, kWindowKeys)) * i / (begins.size() - 1);
    return begins;
  }

  template <class T>
  void make(Keys kind) {
    T* const keys = reinterpret_cast<T*>(keys_.data());
    const auto word = [](uint64_t i, uint32_t seed) {
      return static_cast<T>(sizeof(T) == 4 ? uint64_t{random_word(i, seed)}
                                           : uint64_t{random_word(i, seed)} << 32 | random_word(i, ~seed));
    };
    for_each_range(n_, [&](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; ++i) {
        switch (kind) {
          case Keys::equal: keys[i] = word(0, 7); break;
          case Keys::few: keys[i] = word(random_word(i, 7) % 16, 8); break;
          case Keys::reduced: keys[i] = static_cast<T>(word(i, 7) & word(i, 8) & word(i, 9)); break;
          default: keys[i] = word(i, 7); break;
        }
      }
    });
    if (kind == Keys::sorted || kind == Keys::reversed) sort_on_host(std::span(keys, n_));
    if (kind == Keys::reversed) std::reverse(keys, keys + n_);
  }

  uint64_t id_, n_;
  ByteArray keys_, sorted_, values_;
};

}  // namespace weft::bench
