// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Keys to be sorted, the same in every program that measures, and whether they have been.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/item_source.hpp"
#include "support/oracle.hpp"
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

/// Unsigned keys of 4 or 8 bytes, and the values that go with them: their places. Made for one distribution, type and number at a time.
class SortInput {
 public:
  void clear() { *this = {}; }

  HostArray keys(Keys kind, uint32_t key_bytes, uint64_t n) {
    // No other array has these four bits in its id.
    const uint64_t id = uint64_t{15} << 60 | static_cast<uint64_t>(kind) << 56 | uint64_t{key_bytes} << 48 | n;
    if (id != id_) {
      id_ = id;
      keys_.resize(n * key_bytes);
      sorted_.clear();
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
    const uint64_t first = values_.size();
    if (n > first) values_.resize(n);
    for (uint64_t i = first; i < n; ++i) values_[i] = static_cast<uint32_t>(i);
    return {std::as_bytes(std::span(values_).first(n)), uint64_t{15} << 60 | uint64_t{15} << 56 | n};
  }

  /// Keys alone have to be those of the standard library's sort.
  template <class T>
  Result<std::optional<Mismatch>> check_keys(const FetchOutputs& fetch) {
    if (sorted_.empty()) {
      sorted_ = keys_;
      sort_on_host(std::span(reinterpret_cast<T*>(sorted_.data()), sorted_.size() / sizeof(T)));
    }
    const auto expected = items<T>(sorted_);
    return blockwise(expected.size(), fetch, [&](uint64_t first, std::span<const std::byte> bytes) {
      const auto found = items<T>(bytes);
      const auto wrong = std::ranges::mismatch(found, expected.subspan(first, found.size())).in1 - found.begin();
      const auto i = static_cast<uint64_t>(wrong);
      if (i == found.size()) return std::optional<Mismatch>();
      return std::optional(Mismatch{first + i, std::to_string(expected[first + i]), std::to_string(found[i])});
    });
  }

  /// Of values it is enough that they do not fall where keys are equal, that keys do not fall, and that each value's key is the one it
  /// went in with: then all values differ, and the sort is the stable one.
  template <class T>
  Result<std::optional<Mismatch>> check_pairs(const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values) {
    const auto keys = items<T>(keys_);
    T last_key = 0;
    uint32_t last_value = 0;
    for (uint64_t first = 0; first < keys.size(); first += kChunkKeys) {
      const uint64_t count = std::min(kChunkKeys, keys.size() - first);
      const auto found_keys = fetch_keys(first, count);
      if (!found_keys) return found_keys.error();
      const auto found_values = fetch_values(first, count);
      if (!found_values) return found_values.error();
      const auto out = items<T>(*found_keys);
      const auto values = items<uint32_t>(*found_values);
      for (uint64_t i = 0; i < count; ++i) {
        const bool in_order = first + i == 0 || last_key < out[i] || (last_key == out[i] && last_value < values[i]);
        if (!in_order || values[i] >= keys.size() || keys[values[i]] != out[i])
          return std::optional(
              Mismatch{first + i, "a pair of the input behind " + text(last_key, last_value), text(out[i], values[i])});
        last_key = out[i];
        last_value = values[i];
      }
    }
    return std::optional<Mismatch>();
  }

 private:
  template <class T>
  static std::span<const T> items(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  static std::string text(T key, uint32_t value) {
    return '(' + std::to_string(key) + ", " + std::to_string(value) + ')';
  }

  template <class Check>
  static Result<std::optional<Mismatch>> blockwise(uint64_t n, const FetchOutputs& fetch, const Check& check) {
    for (uint64_t first = 0; first < n; first += kChunkKeys) {
      const auto found = fetch(first, std::min(kChunkKeys, n - first));
      if (!found) return found.error();
      if (auto mismatch = check(first, *found)) return mismatch;
    }
    return std::optional<Mismatch>();
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
  std::vector<std::byte> keys_, sorted_;
  std::vector<uint32_t> values_;
};

}  // namespace weft::bench
