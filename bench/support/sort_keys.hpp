// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Keys to be sorted, the same in every program that measures, and whether they have been.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/expected.hpp"
#include "support/item_source.hpp"
#include "support/parallel.hpp"

namespace weft::bench {

/// Outputs that checks fetch at a time.
inline constexpr uint64_t kChunkKeys = uint64_t{1} << 24;

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

/// What a row is called: keys alone, or pairs with values of 4 bytes.
inline std::string sort_variant(bool pairs, Keys kind) {
  return std::string(pairs ? "pairs" : "keys") + (kind == Keys::random ? "" : std::string(" ") + name_of(kind));
}

/// Sorts by chunks on all cores, and merges those.
template <class T>
void sort_on_host(std::span<T> keys) {
  const uint64_t chunks = std::bit_floor(std::max(1u, std::thread::hardware_concurrency()));
  const auto at = [&](uint64_t chunk) { return keys.begin() + static_cast<ptrdiff_t>(keys.size() * chunk / chunks); };
  for_each_block(chunks, [&](uint64_t chunk) { std::sort(at(chunk), at(chunk + 1)); });
  for (uint64_t width = 1; width < chunks; width *= 2)
    for_each_block(chunks / (2 * width), [&](uint64_t pair) {
      std::inplace_merge(at(2 * width * pair), at(2 * width * pair + width), at(2 * width * (pair + 1)));
    });
}

/// Unsigned keys of 4 or 8 bytes, and the values that go with them: their indices. Made for one distribution, type and
/// number at a time.
class SortInput {
 public:
  SortInput() = default;
  SortInput(Keys kind, uint32_t key_bytes, uint64_t n) { keys(kind, key_bytes, n); }

  /// No other array has these four bits in its id.
  static uint64_t id_of(Keys kind, uint32_t key_bytes, uint64_t n) {
    return uint64_t{15} << 60 | static_cast<uint64_t>(kind) << 56 | uint64_t{key_bytes} << 48 | n;
  }
  uint64_t bytes() const { return keys_.size() + sorted_.size() + values_.size(); }

  HostArray keys(Keys kind, uint32_t key_bytes, uint64_t n) {
    const uint64_t id = id_of(kind, key_bytes, n);
    if (id != id_) {
      id_ = id;
      keys_.resize(n * key_bytes);
      sorted_.resize(0);
      key_bytes == 4 ? make<uint32_t>(kind, n) : make<uint64_t>(kind, n);
    }
    return {keys_, id};
  }

  /// Those that were asked for last.
  template <class T>
  std::span<const T> all_keys() const {
    return items<T>(keys_);
  }

  HostArray values(uint64_t n) {
    constexpr uint64_t kBlock = uint64_t{1} << 20;
    const uint64_t first = values_.size() / sizeof(uint32_t);
    if (n > first) {
      values_.resize(n * sizeof(uint32_t));
      uint32_t* const values = reinterpret_cast<uint32_t*>(values_.data());
      for_each_block((n - first + kBlock - 1) / kBlock, [&](uint64_t block) {
        const uint64_t begin = first + block * kBlock;
        std::iota(values + begin, values + std::min(n, begin + kBlock), static_cast<uint32_t>(begin));
      });
    }
    return {std::span(values_).first(n * sizeof(uint32_t)), uint64_t{15} << 60 | uint64_t{15} << 56 | n};
  }

  /// Keys alone have to be those of the standard library's sort.
  template <class T>
  Verdict check_keys(const FetchOutputs& fetch) {
    if (fetch.sampled()) return check_sampled_keys<T>(fetch);
    if (sorted_.size() == 0) {
      sorted_.resize(keys_.size());
      std::memcpy(sorted_.data(), keys_.data(), keys_.size());
      sort_on_host(std::span(reinterpret_cast<T*>(sorted_.data()), sorted_.size() / sizeof(T)));
    }
    const auto expected = items<T>(sorted_);
    return oracle::check_each<T>(
        "key", expected.size(), [&](uint64_t i) { return expected[i]; }, fetch);
  }

  /// Of values it is enough that they do not fall where keys are equal, that keys do not fall, and that each value's
  /// key is the one it went in with: then all values differ, and the sort is the stable one.
  template <class T>
  Verdict check_pairs(const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values) {
    if (fetch_keys.sampled()) return check_sampled_pairs<T>(fetch_keys, fetch_values);
    const uint64_t n = items<T>(keys_).size();
    std::optional<std::pair<T, uint32_t>> last;
    for (uint64_t first = 0; first < n; first += kChunkKeys) {
      Verdict verdict = check_order<T>(first, std::min(kChunkKeys, n - first), fetch_keys, fetch_values, last);
      if (!verdict || *verdict) return verdict;
    }
    return std::optional<Mismatch>();
  }

 private:
  template <class T>
  static std::span<const T> items(const ByteArray& bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  static std::span<const T> items(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  static std::string text(const std::pair<T, uint32_t>& pair) {
    return '(' + std::to_string(pair.first) + ", " + std::to_string(pair.second) + ')';
  }

  /// Whether `count` pairs are of the input and ascend, from `last` on, which becomes the last of them.
  template <class T>
  Verdict check_order(uint64_t first, uint64_t count, const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values,
                      std::optional<std::pair<T, uint32_t>>& last) const {
    const auto keys = items<T>(keys_);
    const auto found_keys = fetch_keys(first, count);
    if (!found_keys) return found_keys.error();
    const auto found_values = fetch_values(first, count);
    if (!found_values) return found_values.error();
    for (uint64_t i = 0; i < count; ++i) {
      const std::pair pair(items<T>(*found_keys)[i], items<uint32_t>(*found_values)[i]);
      if ((last && !(*last < pair)) || pair.second >= keys.size() || keys[pair.second] != pair.first)
        return std::optional(
            Mismatch{first + i, last ? "a pair of the input after " + text(*last) : "a pair of the input", text(pair)});
      last = pair;
    }
    return std::optional<Mismatch>();
  }

  /// Calls f(begin, end) for all of the input, on all cores.
  template <class F>
  static void for_each_range(uint64_t n, const F& f) {
    constexpr uint64_t kBlock = uint64_t{1} << 20;
    for_each_block((n + kBlock - 1) / kBlock,
                   [&](uint64_t block) { f(block * kBlock, std::min(n, (block + 1) * kBlock)); });
  }

  /// Outputs in some windows. Pairs that ascend are the right ones if the first and the last of them are, whose index
  /// is how many pairs of the input are below.
  template <class T>
  Verdict check_sampled_pairs(const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values) const {
    const auto keys = items<T>(keys_);
    for (const uint64_t first : windows(keys.size())) {
      const uint64_t count = std::min(kWindowKeys, keys.size());
      std::array<std::optional<std::pair<T, uint32_t>>, 2> ends;
      Verdict verdict = check_order<T>(first, 1, fetch_keys, fetch_values, ends[0]);
      if (!verdict || *verdict) return verdict;
      ends[1] = ends[0];
      verdict = check_order<T>(first + 1, count - 1, fetch_keys, fetch_values, ends[1]);
      if (!verdict || *verdict) return verdict;
      std::array<std::atomic<uint64_t>, 2> ranks{};
      for_each_range(keys.size(), [&](uint64_t begin, uint64_t end) {
        std::array<uint64_t, 2> below{};
        for (uint64_t i = begin; i < end; ++i)
          for (const size_t e : {0, 1}) below[e] += std::pair(keys[i], static_cast<uint32_t>(i)) < *ends[e] ? 1 : 0;
        for (const size_t e : {0, 1}) ranks[e] += below[e];
      });
      for (const size_t e : {0, 1})
        if (const uint64_t index = first + e * (count - 1); ranks[e] != index)
          return std::optional(
              Mismatch{index, "the pair of that index", text(*ends[e]) + " of index " + std::to_string(ranks[e])});
    }
    return std::optional<Mismatch>();
  }

  /// Of keys alone, all of the input that are from a window's first to its last are sorted for comparison.
  template <class T>
  Verdict check_sampled_keys(const FetchOutputs& fetch) const {
    const auto keys = items<T>(keys_);
    for (const uint64_t first : windows(keys.size())) {
      const auto bytes = fetch(first, std::min(kWindowKeys, keys.size()));
      if (!bytes) return bytes.error();
      const auto found = items<T>(*bytes);
      std::vector<T> expected;
      uint64_t before = 0;
      std::mutex mutex;
      for_each_range(keys.size(), [&](uint64_t begin, uint64_t end) {
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
        return std::optional(Mismatch{
            first + i, is_near ? "key " + std::to_string(expected[first + i - before]) : "a key of another index",
            std::to_string(found[i])});
      }
    }
    return std::optional<Mismatch>();
  }

  static constexpr uint64_t kWindowKeys = uint64_t{1} << 14;
  /// Where they begin: at both ends and between.
  static std::array<uint64_t, 6> windows(uint64_t n) {
    std::array<uint64_t, 6> begins{};
    for (size_t i = 0; i < begins.size(); ++i) begins[i] = (n - std::min(n, kWindowKeys)) * i / (begins.size() - 1);
    return begins;
  }

  template <class T>
  void make(Keys kind, uint64_t n) {
    T* const keys = reinterpret_cast<T*>(keys_.data());
    const auto word = [](uint64_t i, uint32_t seed) {
      return static_cast<T>(sizeof(T) == 4 ? uint64_t{random_word(i, seed)}
                                           : uint64_t{random_word(i, seed)} << 32 | random_word(i, ~seed));
    };
    constexpr uint64_t kBlock = uint64_t{1} << 18;
    for_each_block((n + kBlock - 1) / kBlock, [&](uint64_t block) {
      for (uint64_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) {
        switch (kind) {
          case Keys::equal: keys[i] = word(0, 7); break;
          case Keys::few: keys[i] = word(random_word(i, 7) % 16, 8); break;
          case Keys::reduced: keys[i] = static_cast<T>(word(i, 7) & word(i, 8) & word(i, 9)); break;
          default: keys[i] = word(i, 7); break;
        }
      }
    });
    if (kind == Keys::sorted || kind == Keys::reversed) sort_on_host(std::span(keys, n));
    if (kind == Keys::reversed) std::reverse(keys, keys + n);
  }

  uint64_t id_ = 0;
  ByteArray keys_, sorted_, values_;
};

}  // namespace weft::bench
