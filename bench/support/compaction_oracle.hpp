// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/status.hpp>

#include "support/oracle.hpp"

// What the CPU says of primitives whose outputs are fewer than their inputs, or follow runs of keys. As oracle.hpp.
namespace weft::bench {

/// An item of 4 * `words` bytes.
template <size_t words>
using Words = std::array<uint32_t, words>;

using Verdict = Result<std::optional<Mismatch>>;

namespace oracle {

template <class T>
std::string item_text(const T& item) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(item);
  } else {
    std::string words;
    for (const uint32_t word : item) words += (words.empty() ? "(" : ", ") + std::to_string(word);
    return words + ')';
  }
}

/// Outputs as they come to be expected, compared a chunk at a time. Once one differs, or cannot be fetched, the rest counts
/// for nothing.
template <class T>
class Expected {
 public:
  /// `what`: the array, as a Mismatch names it.
  Expected(const char* what, FetchOutputs fetch) : what_(what), fetch_(std::move(fetch)), chunk_(kChunkItems) {}

  void push_if(const T& item, bool wanted) {
    chunk_[filled_] = item;
    filled_ += wanted;
    if (filled_ == kChunkItems) compare();
  }
  void push(const T& item) { push_if(item, true); }

  uint64_t count() const { return first_ + filled_; }
  bool failed() const { return error_ || mismatch_; }
  /// To be called once, at the end.
  Verdict verdict() {
    compare();
    if (error_) return *error_;
    return mismatch_;
  }

 private:
  static constexpr uint64_t kChunkItems = (uint64_t{1} << 24) / sizeof(T);

  void compare() {
    const uint64_t count = std::exchange(filled_, 0);
    const uint64_t first = first_;
    first_ += count;
    if (count == 0 || failed()) return;
    const auto outputs = fetch_(first, count);
    if (!outputs) {
      error_ = outputs.error();
      return;
    }
    if (std::memcmp(outputs->data(), chunk_.data(), count * sizeof(T)) == 0) return;
    for (uint64_t i = 0; i < count; ++i) {
      T found;
      std::memcpy(&found, outputs->data() + i * sizeof(T), sizeof(T));
      if (std::memcmp(&found, &chunk_[i], sizeof(T)) == 0) continue;
      mismatch_ = Mismatch{first + i, std::string(what_) + ' ' + item_text(chunk_[i]), item_text(found)};
      return;
    }
  }

  const char* what_;
  FetchOutputs fetch_;
  std::vector<T> chunk_;
  uint64_t filled_ = 0;
  uint64_t first_ = 0;
  std::optional<Error> error_;
  std::optional<Mismatch> mismatch_;
};

/// The first of several that is bad.
inline Verdict first_bad(Verdict verdict) { return verdict; }
template <class... More>
Verdict first_bad(Verdict verdict, const More&... more) {
  if (!verdict || *verdict) return verdict;
  return first_bad(more...);
}

inline Verdict same_count(uint64_t expected, uint64_t found) {
  if (expected == found) return std::optional<Mismatch>();
  return std::optional(Mismatch{0, "count " + std::to_string(expected), std::to_string(found)});
}

/// Whether item `i` begins a run.
template <class T>
bool is_head(std::span<const T> items, uint64_t i) {
  return i == 0 || items[i] != items[i - 1];
}

}  // namespace oracle

template <class T>
std::span<const T> items_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// f(null pointer to a type of `bytes` bytes), which is 1, 2, 4, 8, 16 or 48.
template <class F>
Verdict with_item(uint32_t bytes, const F& f) {
  switch (bytes) {
    case 1: return f(static_cast<uint8_t*>(nullptr));
    case 2: return f(static_cast<uint16_t*>(nullptr));
    case 4: return f(static_cast<uint32_t*>(nullptr));
    case 8: return f(static_cast<uint64_t*>(nullptr));
    case 16: return f(static_cast<Words<4>*>(nullptr));
    case 48: return f(static_cast<Words<12>*>(nullptr));
    default: return oracle::no_oracle();
  }
}

/// Compares all outputs of a call that writes the items for which keep(i), in order. `what`: the array, as a Mismatch names
/// it. Returns their number in `count`.
template <class T, class Keep>
Verdict check_kept(const char* what, std::span<const T> items, const Keep& keep, const FetchOutputs& fetch,
                   uint64_t& count) {
  oracle::Expected<T> expected(what, fetch);
  for (uint64_t i = 0; i < items.size(); ++i) expected.push_if(items[i], keep(i));
  count = expected.count();
  return expected.verdict();
}

/// Of a selection, and the count that it wrote.
template <class T, class Keep>
Verdict check_select(std::span<const T> items, const Keep& keep, const FetchOutputs& fetch, uint64_t found_count) {
  uint64_t count = 0;
  const Verdict outputs = check_kept("item", items, keep, fetch, count);
  return oracle::first_bad(oracle::same_count(count, found_count), outputs);
}

/// Of a selection of the first item of each run.
template <class T>
Verdict check_unique(std::span<const T> items, const FetchOutputs& fetch, uint64_t found_count) {
  return check_select(
      items, [&](uint64_t i) { return oracle::is_head(items, i); }, fetch, found_count);
}

/// Of the first key of each run and the value beside it.
template <class K, class V>
Verdict check_unique_by_key(std::span<const K> keys, std::span<const V> values, const FetchOutputs& fetch_keys,
                            const FetchOutputs& fetch_values, uint64_t found_count) {
  const auto head = [&](uint64_t i) { return oracle::is_head(keys, i); };
  uint64_t count = 0;
  const Verdict kept_keys = check_kept("key", keys, head, fetch_keys, count);
  const Verdict kept_values = check_kept("value", values, head, fetch_values, count);
  return oracle::first_bad(oracle::same_count(count, found_count), kept_keys, kept_values);
}

/// Of the items for which keep(i), and of the others by themselves. CUB writes those in reverse.
template <class T, class Keep>
Verdict check_partition(std::span<const T> items, const Keep& keep, const FetchOutputs& fetch_kept,
                        const FetchOutputs& fetch_others, bool others_reversed, uint64_t found_count) {
  uint64_t count = 0;
  const Verdict kept = check_kept("kept item", items, keep, fetch_kept, count);
  const uint64_t n = items.size();
  oracle::Expected<T> others("other item", fetch_others);
  if (others_reversed) {
    for (uint64_t i = n; i-- > 0;) others.push_if(items[i], !keep(i));
  } else {
    for (uint64_t i = 0; i < n; ++i) others.push_if(items[i], !keep(i));
  }
  return oracle::first_bad(oracle::same_count(count, found_count), kept, others.verdict());
}

/// Of the items for which part(i) is 0, 1 and 2, each part by itself. Found: how many are in parts 0 and 1.
template <class T, class Part>
Verdict check_three_way_partition(std::span<const T> items, const Part& part, const std::array<FetchOutputs, 3>& fetch,
                                  const std::array<uint64_t, 2>& found) {
  std::array<uint64_t, 3> counts{};
  const auto check = [&](uint32_t p) {
    return check_kept(
        p == 0   ? "item of part 0"
        : p == 1 ? "item of part 1"
                 : "item of part 2",
        items, [&](uint64_t i) { return part(i) == p; }, fetch[p], counts[p]);
  };
  const Verdict first = check(0), second = check(1), third = check(2);
  return oracle::first_bad(oracle::same_count(counts[0], found[0]), oracle::same_count(counts[1], found[1]), first,
                           second, third);
}

namespace oracle {

/// tell(first, end, ends) for every item, `end` being one behind it: whether its run ends there, and where that began.
template <class T, class Tell>
void walk_runs(std::span<const T> items, const Tell& tell) {
  const uint64_t n = items.size();
  uint64_t first = 0;
  for (uint64_t end = 1; end <= n; ++end) {
    const bool ends = end == n || items[end] != items[end - 1];
    tell(first, end, ends);
    first = ends ? end : first;
  }
}

}  // namespace oracle

/// Of the symbol of each run and its length in u32.
template <class T>
Verdict check_run_lengths(std::span<const T> items, const FetchOutputs& fetch_symbols,
                          const FetchOutputs& fetch_lengths, uint64_t found_count) {
  oracle::Expected<T> symbols("symbol", fetch_symbols);
  oracle::Expected<uint32_t> lengths("length", fetch_lengths);
  oracle::walk_runs(items, [&](uint64_t first, uint64_t end, bool ends) {
    symbols.push_if(items[first], ends);
    lengths.push_if(static_cast<uint32_t>(end - first), ends);
  });
  const Verdict count = oracle::same_count(symbols.count(), found_count);
  return oracle::first_bad(count, symbols.verdict(), lengths.verdict());
}

/// Of the index of the first item, and the length, of each run of two or more items.
template <class T>
Verdict check_non_trivial_runs(std::span<const T> items, const FetchOutputs& fetch_offsets,
                               const FetchOutputs& fetch_lengths, uint64_t found_count) {
  oracle::Expected<uint32_t> offsets("offset", fetch_offsets);
  oracle::Expected<uint32_t> lengths("length", fetch_lengths);
  oracle::walk_runs(items, [&](uint64_t first, uint64_t end, bool ends) {
    const bool wanted = ends && end - first > 1;
    offsets.push_if(static_cast<uint32_t>(first), wanted);
    lengths.push_if(static_cast<uint32_t>(end - first), wanted);
  });
  const Verdict count = oracle::same_count(lengths.count(), found_count);
  return oracle::first_bad(count, offsets.verdict(), lengths.verdict());
}

/// Of the sums of each run of keys over the values up to each item, the item's own included.
template <class K, class V>
Verdict check_scan_by_key(std::span<const K> keys, std::span<const V> values, const FetchOutputs& fetch) {
  oracle::Expected<V> sums("sum", fetch);
  V sum{};
  for (uint64_t i = 0; i < keys.size(); ++i) {
    sum = static_cast<V>(oracle::is_head(keys, i) ? values[i] : sum + values[i]);
    sums.push(sum);
  }
  return sums.verdict();
}

/// Of the key of each run and the sum of its values.
template <class K, class V>
Verdict check_reduce_by_key(std::span<const K> keys, std::span<const V> values, const FetchOutputs& fetch_keys,
                            const FetchOutputs& fetch_sums, uint64_t found_count) {
  oracle::Expected<K> run_keys("key", fetch_keys);
  oracle::Expected<V> sums("sum", fetch_sums);
  V sum{};
  for (uint64_t i = 0; i < keys.size(); ++i) {
    sum = static_cast<V>(oracle::is_head(keys, i) ? values[i] : sum + values[i]);
    const bool ends = i + 1 == keys.size() || keys[i + 1] != keys[i];
    run_keys.push_if(keys[i], ends);
    sums.push_if(sum, ends);
  }
  const Verdict count = oracle::same_count(run_keys.count(), found_count);
  return oracle::first_bad(count, run_keys.verdict(), sums.verdict());
}

/// Of the sum of each segment.
template <class V>
Verdict check_segmented_reduce(std::span<const V> values, std::span<const uint32_t> offsets,
                               const FetchOutputs& fetch) {
  oracle::Expected<V> sums("sum", fetch);
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    V sum{};
    for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i) sum = static_cast<V>(sum + values[i]);
    sums.push(sum);
  }
  return sums.verdict();
}

/// Of the inclusive sums of each segment; offsets begin with 0 and end with the number of values.
template <class V>
Verdict check_segmented_scan(std::span<const V> values, std::span<const uint32_t> offsets, const FetchOutputs& fetch) {
  oracle::Expected<V> sums("sum", fetch);
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    V sum{};
    for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      sum = static_cast<V>(sum + values[i]);
      sums.push(sum);
    }
  }
  return sums.verdict();
}

/// Of how many items fall into each of `bins` bins, bin(item) giving the number of an item's, or one behind the last for
/// none.
template <class T, class Bin>
Verdict check_histogram(std::span<const T> items, uint64_t bins, const Bin& bin, const FetchOutputs& fetch) {
  // Four tables, so that equal neighbours do not wait for each other.
  constexpr size_t kTables = 4;
  std::vector<uint32_t> counts(kTables * (bins + 1));
  for (uint64_t i = 0; i < items.size(); ++i)
    ++counts[i % kTables * (bins + 1) + std::min<uint64_t>(bin(items[i]), bins)];
  oracle::Expected<uint32_t> expected("items in bin", fetch);
  for (uint64_t b = 0; b < bins; ++b) {
    uint32_t sum = 0;
    for (size_t table = 0; table < kTables; ++table) sum += counts[table * (bins + 1) + b];
    expected.push(sum);
  }
  return expected.verdict();
}

}  // namespace weft::bench
