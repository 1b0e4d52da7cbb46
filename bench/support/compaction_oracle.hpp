// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/status.hpp>

#include "support/expected.hpp"

// What the CPU says of primitives whose outputs are fewer than their inputs, or follow runs of keys. As oracle.hpp.
namespace weft::bench {

/// An item of 4 * `words` bytes.
template <size_t words>
using Words = std::array<uint32_t, words>;

namespace oracle {

/// Whether item `i` begins a run.
template <class T>
bool is_head(std::span<const T> items, uint64_t i) {
  return i == 0 || items[i] != items[i - 1];
}

/// Whether it is the last of its run.
template <class T>
bool is_end(std::span<const T> items, uint64_t i) {
  return i + 1 == items.size() || items[i] != items[i + 1];
}

}  // namespace oracle

template <class T>
std::span<const T> items_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// f(null pointer to a type of `bytes` bytes), which is 1, 2, 4 or 8.
template <class F>
Verdict with_small_item(uint32_t bytes, const F& f) {
  switch (bytes) {
    case 1: return f(static_cast<uint8_t*>(nullptr));
    case 2: return f(static_cast<uint16_t*>(nullptr));
    case 4: return f(static_cast<uint32_t*>(nullptr));
    case 8: return f(static_cast<uint64_t*>(nullptr));
    default: return oracle::no_oracle();
  }
}

/// The same; 16 or 48 too.
template <class F>
Verdict with_item(uint32_t bytes, const F& f) {
  if (bytes == 16) return f(static_cast<Words<4>*>(nullptr));
  if (bytes == 48) return f(static_cast<Words<12>*>(nullptr));
  return with_small_item(bytes, f);
}

/// f(null pointer to the unsigned key of 4 or 8 bytes).
template <class F>
Verdict with_key(uint32_t bytes, const F& f) {
  return bytes == 4 ? f(static_cast<uint32_t*>(nullptr)) : f(static_cast<uint64_t*>(nullptr));
}

/// Of a selection, and the count that it wrote.
template <class T, class Keep>
Verdict check_select(std::span<const T> items, const Keep& keep, const FetchOutputs& fetch, uint64_t found_count) {
  uint64_t count = 0;
  const Verdict outputs = oracle::check_kept<T>(
      "item", items.size(), [&](uint64_t i) { return items[i]; }, keep, fetch, count);
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
  return oracle::first_bad(check_select(keys, head, fetch_keys, found_count),
                           check_select(values, head, fetch_values, found_count));
}

/// Of the items for which keep(i), and of the others by themselves. CUB writes those in reverse.
template <class T, class Keep>
Verdict check_partition(std::span<const T> items, const Keep& keep, const FetchOutputs& fetch_kept,
                        const FetchOutputs& fetch_others, bool others_reversed, uint64_t found_count) {
  const Verdict kept = check_select(items, keep, fetch_kept, found_count);
  const uint64_t n = items.size();
  const auto at = [&](uint64_t i) { return others_reversed ? n - 1 - i : i; };
  uint64_t count = 0;
  const Verdict others = oracle::check_kept<T>(
      "other item", n, [&](uint64_t i) { return items[at(i)]; }, [&](uint64_t i) { return !keep(at(i)); }, fetch_others,
      count);
  return oracle::first_bad(kept, others);
}

/// Of the items for which part(i) is 0, 1 and 2, each part by itself. Found: how many are in parts 0 and 1.
template <class T, class Part>
Verdict check_three_way_partition(std::span<const T> items, const Part& part, const std::array<FetchOutputs, 3>& fetch,
                                  const std::array<uint64_t, 2>& found) {
  std::array<uint64_t, 3> counts{};
  const auto check = [&](uint32_t p) {
    return oracle::check_kept<T>(
        p == 0   ? "item of part 0"
        : p == 1 ? "item of part 1"
                 : "item of part 2",
        items.size(), [&](uint64_t i) { return items[i]; }, [&](uint64_t i) { return part(i) == p; }, fetch[p],
        counts[p]);
  };
  const Verdict first = check(0), second = check(1), third = check(2);
  return oracle::first_bad(oracle::same_count(counts[0], found[0]), oracle::same_count(counts[1], found[1]), first,
                           second, third);
}

namespace oracle {

/// Checks an output that has make(first, end) of each run with wanted(its last item), where `end` is one after that
/// item, and the number of these runs.
template <class Out, class T, class Wanted, class Make>
Verdict check_runs(const char* what, std::span<const T> items, const Wanted& wanted, const Make& make,
                   const FetchOutputs& fetch, uint64_t found_count) {
  struct State {
    uint64_t outputs = 0;
    uint64_t first = 0;  // of the run that the next item is in
  };
  constexpr uint64_t kNone = ~uint64_t{0};
  const auto walk = [&](uint64_t begin, uint64_t end, State state, Out* out) {
    for (uint64_t i = begin; i < end; ++i) {
      if (!is_end(items, i)) continue;
      if (wanted(i)) {
        if (out) *out++ = make(state.first, i + 1);
        ++state.outputs;
      }
      state.first = i + 1;
    }
    return state;
  };
  uint64_t count = 0;
  const Verdict outputs = check_blocks<Out>(
      what, items.size(), State{},
      [&](uint64_t begin, uint64_t end) {
        return walk(begin, end, State{0, kNone}, nullptr);
      },
      [](State before, State block) {
        return State{before.outputs + block.outputs, block.first == kNone ? before.first : block.first};
      },
      walk, fetch, &count);
  return first_bad(same_count(count, found_count), outputs);
}

/// Sums that begin anew with some items.
template <class V>
struct Sums {
  uint64_t outputs = 0;
  V sum{};              ///< since the last of those
  bool begins = false;  ///< whether there is one

  static Sums join(const Sums& before, const Sums& block) {
    return {before.outputs + block.outputs, static_cast<V>(block.begins ? block.sum : before.sum + block.sum),
            before.begins || block.begins};
  }
};

/// Of the sums of each run of keys over the values up to each item, its own included: of all items, or of those that
/// end a run.
template <class K, class V>
Verdict check_run_sums(std::span<const K> keys, std::span<const V> values, bool of_ends, const FetchOutputs& fetch) {
  const auto walk = [&](uint64_t begin, uint64_t end, Sums<V> state, V* out) {
    for (uint64_t i = begin; i < end; ++i) {
      const bool head = is_head(keys, i);
      state.begins = state.begins || head;
      state.sum = static_cast<V>(head ? values[i] : state.sum + values[i]);
      if (of_ends && !is_end(keys, i)) continue;
      if (out) *out++ = state.sum;
      ++state.outputs;
    }
    return state;
  };
  return check_blocks<V>(
      "sum", keys.size(), Sums<V>{}, [&](uint64_t begin, uint64_t end) { return walk(begin, end, {}, nullptr); },
      Sums<V>::join, walk, fetch);
}

/// The segment that item `i` is in; offsets begin with 0 and end with the number of items.
inline uint64_t segment_of(std::span<const uint32_t> offsets, uint64_t i) {
  return static_cast<uint64_t>(std::upper_bound(offsets.begin(), offsets.end(), i) - offsets.begin()) - 1;
}

/// Of outputs that are all value(segment).
template <class T, class Value>
Verdict check_segment_values(const char* what, std::span<const uint32_t> offsets, const Value& value,
                             const FetchOutputs& fetch) {
  const auto write = [&](uint64_t begin, uint64_t end, T* out) {
    for (uint64_t i = begin, s = segment_of(offsets, begin); i < end; ++i) {
      while (offsets[s + 1] <= i) ++s;
      *out++ = value(s);
    }
  };
  return check_ranges<T>(what, offsets.back(), write, fetch);
}

}  // namespace oracle

/// Of the symbol of each run and its length in u32.
template <class T>
Verdict check_run_lengths(std::span<const T> items, const FetchOutputs& fetch_symbols,
                          const FetchOutputs& fetch_lengths, uint64_t found_count) {
  const auto all = [](uint64_t) { return true; };
  const auto symbol = [&](uint64_t first, uint64_t) { return items[first]; };
  const auto length = [](uint64_t first, uint64_t end) { return static_cast<uint32_t>(end - first); };
  return oracle::first_bad(oracle::check_runs<T>("symbol", items, all, symbol, fetch_symbols, found_count),
                           oracle::check_runs<uint32_t>("length", items, all, length, fetch_lengths, found_count));
}

/// Of the index of the first item, and the length, of each run of two or more items.
template <class T>
Verdict check_non_trivial_runs(std::span<const T> items, const FetchOutputs& fetch_offsets,
                               const FetchOutputs& fetch_lengths, uint64_t found_count) {
  const auto long_enough = [&](uint64_t i) { return !oracle::is_head(items, i); };
  const auto offset = [](uint64_t first, uint64_t) { return static_cast<uint32_t>(first); };
  const auto length = [](uint64_t first, uint64_t end) { return static_cast<uint32_t>(end - first); };
  return oracle::first_bad(
      oracle::check_runs<uint32_t>("offset", items, long_enough, offset, fetch_offsets, found_count),
      oracle::check_runs<uint32_t>("length", items, long_enough, length, fetch_lengths, found_count));
}

/// Of the sums of each run of keys over the values up to each item, the item's own included.
template <class K, class V>
Verdict check_scan_by_key(std::span<const K> keys, std::span<const V> values, const FetchOutputs& fetch) {
  return oracle::check_run_sums(keys, values, false, fetch);
}

/// Of the key of each run and the sum of its values.
template <class K, class V>
Verdict check_reduce_by_key(std::span<const K> keys, std::span<const V> values, const FetchOutputs& fetch_keys,
                            const FetchOutputs& fetch_sums, uint64_t found_count) {
  return oracle::first_bad(check_unique(keys, fetch_keys, found_count),
                           oracle::check_run_sums(keys, values, true, fetch_sums));
}

/// Of the sum of each segment.
template <class V>
Verdict check_segmented_reduce(std::span<const V> values, std::span<const uint32_t> offsets,
                               const FetchOutputs& fetch) {
  const auto sum_of = [&](uint64_t s) {
    V sum{};
    for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i) sum = static_cast<V>(sum + values[i]);
    return sum;
  };
  return oracle::check_each<V>("sum", offsets.size() - 1, sum_of, fetch);
}

/// Of the inclusive sums of each segment; offsets begin with 0 and end with the number of values.
template <class V>
Verdict check_segmented_scan(std::span<const V> values, std::span<const uint32_t> offsets, const FetchOutputs& fetch) {
  using Sums = oracle::Sums<V>;
  const auto walk = [&](uint64_t begin, uint64_t end, Sums state, V* out) {
    for (uint64_t i = begin, s = oracle::segment_of(offsets, begin); i < end; ++i) {
      while (offsets[s + 1] <= i) ++s;
      const bool head = offsets[s] == i;
      state.begins = state.begins || head;
      state.sum = static_cast<V>(head ? values[i] : state.sum + values[i]);
      if (out) *out++ = state.sum;
      ++state.outputs;
    }
    return state;
  };
  return oracle::check_blocks<V>(
      "sum", values.size(), Sums{}, [&](uint64_t begin, uint64_t end) { return walk(begin, end, {}, nullptr); },
      Sums::join, walk, fetch);
}

/// Of how many items fall into each of `bins` bins, bin(item) giving the number of an item's, or one after the last for
/// none.
template <class T, class Bin>
Verdict check_histogram(std::span<const T> items, uint64_t bins, const Bin& bin, const FetchOutputs& fetch) {
  // Four tables a thread, so that equal neighbours do not wait for each other.
  constexpr uint64_t kTables = 4, kPart = uint64_t{1} << 24;
  std::vector<uint32_t> counts(bins + 1);
  std::mutex mutex;
  for_each_block((items.size() + kPart - 1) / kPart, [&](uint64_t part) {
    std::vector<uint32_t> tables(kTables * (bins + 1));
    for (uint64_t i = part * kPart; i < std::min<uint64_t>(items.size(), (part + 1) * kPart); ++i)
      ++tables[i % kTables * (bins + 1) + std::min<uint64_t>(bin(items[i]), bins)];
    const std::lock_guard lock(mutex);
    for (uint64_t i = 0; i < tables.size(); ++i) counts[i % (bins + 1)] += tables[i];
  });
  return oracle::check_each<uint32_t>(
      "items in bin", bins, [&](uint64_t b) { return counts[b]; }, fetch);
}

}  // namespace weft::bench
