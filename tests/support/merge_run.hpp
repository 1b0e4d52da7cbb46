// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a merge once, in guarded buffers, and checks everything that holds for every run: all outputs are what the
// standard library's stable merge makes, nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <compare>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/merge.hpp>

#include "support/draws.hpp"
#include "support/oracle.hpp"
#include "support/search_run.hpp"

namespace weft::test {

/// The order of keys in a merge: total, -0 before 0, NaN outside of numbers.
template <class T>
bool merge_less(T a, T b) {
  if constexpr (std::is_same_v<T, F16>) {
    const auto rank = [](F16 v) { return (v.bits & 0x8000) != 0 ? -1 - (v.bits & 0x7fff) : int{v.bits}; };
    return rank(a) < rank(b);
  } else {
    return std::is_lt(std::strong_order(a, b));
  }
}

template <class T>
std::vector<T> in_merge_order(std::vector<T> keys, bool descending) {
  std::ranges::sort(keys, [&](T a, T b) { return descending ? merge_less(b, a) : merge_less(a, b); });
  return keys;
}

struct MergeOptions {
  VkDeviceSize a_misalignment = 0, b_misalignment = 0, out_misalignment = 0;
  VkDeviceSize values_misalignment =
      0;  ///< of B's; A's and the output's are others, all multiples of this one's lowest bit
  std::optional<DeviceCount> count_a{}, count_b{};
  bool sorted = true;  ///< else nothing is expected but that all else stays as it is, and indices are some key's
  uint8_t dirt = 0xdb;
};

/// The ranges of a merge or a set operation, with room for so many outputs.
template <class Args, class Config, class T, class Options>
Args pair_args(PrimitiveCall& call, const Config& config, const std::vector<T>& a, const std::vector<T>& b,
               uint64_t room, const Options& options) {
  const VkDeviceSize off = options.values_misalignment;
  Args args;
  args.keys_a = call.input("keys_a", a, options.a_misalignment);
  args.keys_b = call.input("keys_b", b, options.b_misalignment);
  args.count_a = call.count(options.count_a, a.size());
  args.count_b = call.count(options.count_b, b.size());
  if (config.keys) args.keys_out = call.output("keys_out", room * sizeof(T), options.out_misalignment);
  if (config.indices) args.indices_out = call.output("indices_out", room * 4, options.out_misalignment / 4 * 4);
  if (config.value_bytes == 0) return args;
  args.values_a = call.input("values_a", random_bytes(a.size() * config.value_bytes, 7), 3 * off % 16);
  args.values_b = call.input("values_b", random_bytes(b.size() * config.value_bytes, 8), off);
  args.values_out = call.output("values_out", room * config.value_bytes, 5 * off % 16);
  return args;
}

/// Expects the outputs of a merge or a set operation: from where each comes, the first `count_a` of A's before B's.
/// Compared as bits: NaN is not equal to itself.
template <class Config, class T>
void expect_pair(PrimitiveCall& call, const Config& config, const std::vector<T>& a, uint64_t count_a,
                 const std::vector<T>& b, std::span<const uint32_t> origins) {
  const auto both = [&](std::span<const std::byte> of_a, std::span<const std::byte> of_b, uint64_t item_bytes) {
    Bytes bytes(of_a.begin(), of_a.begin() + static_cast<std::ptrdiff_t>(count_a * item_bytes));
    bytes.insert(bytes.end(), of_b.begin(), of_b.end());
    return gathered(bytes, item_bytes, origins);
  };
  if (config.indices) call.expect("indices_out", std::vector(origins.begin(), origins.end()));
  if (config.value_bytes != 0)
    call.expect("values_out",
                both(random_bytes(a.size() * config.value_bytes, 7), random_bytes(b.size() * config.value_bytes, 8),
                     config.value_bytes),
                config.value_bytes);
  if (config.keys)
    call.expect("keys_out", both(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)), sizeof(T)), sizeof(T));
}

/// Of sequences that are not sorted: the first `count` outputs may be any.
template <class T, class Config>
void expect_any_items(PrimitiveCall& call, const Config& config, uint64_t count) {
  if (config.keys) call.expect_any("keys_out", count * sizeof(T));
  if (config.indices) call.expect_any("indices_out", count * 4);
  if (config.value_bytes != 0) call.expect_any("values_out", count * config.value_bytes);
}

/// Whether `wrong` is nothing and all indices are of one of `total` keys, also of sequences that are not sorted.
template <class Config>
std::string wrong_indices(PrimitiveCall& call, const Config& config, std::string wrong, uint64_t count,
                          uint64_t total) {
  if (!config.indices || !wrong.empty()) return wrong;
  const std::vector<uint32_t> indices = items_of<uint32_t>(call.found("indices_out"));
  for (uint64_t i = 0; i < count; ++i)
    if (indices[i] >= total) return "an index is " + std::to_string(indices[i]) + " of " + std::to_string(total);
  return wrong;
}

/// All keys, or, where they are not written, all indices, or nothing.
template <class Config>
Bytes found_outputs(PrimitiveCall& call, const Config& config) {
  if (config.keys) return call.found("keys_out");
  return config.indices ? call.found("indices_out") : Bytes{};
}

/// Gives what is wrong, or nothing; `found`: all keys, or, where they are not written, all indices. `key_is_less`: the
/// order of ascending keys.
template <class T, class Less>
std::string wrong_merge_by(const Less& key_is_less, Gpu& gpu, const Merge& merge, const MergeConfig& config,
                           const std::vector<T>& a, const std::vector<T>& b, const MergeOptions& options,
                           Bytes* found = nullptr) {
  PrimitiveCall call(gpu, options.dirt);
  MergeArgs args = pair_args<MergeArgs>(call, config, a, b, a.size() + b.size(), options);
  args.scratch = call.scratch(merge.scratch_size(a.size(), b.size()));
  const auto less = [&](const T& x, const T& y) {
    return config.order == SortOrder::descending ? key_is_less(y, x) : key_is_less(x, y);
  };
  const uint64_t count_a = obeyed(options.count_a, a.size()), total = count_a + obeyed(options.count_b, b.size());
  std::vector<uint32_t> origins;
  for (uint64_t i = 0, j = 0; options.sorted && i + j < total;) {
    const bool from_a = j == total - count_a || (i < count_a && !less(b[j], a[i]));
    origins.push_back(static_cast<uint32_t>(from_a ? i++ : count_a + j++));
  }
  expect_pair(call, config, a, count_a, b, origins);
  if (!options.sorted) expect_any_items<T>(call, config, total);
  const std::string wrong = wrong_indices(call, config, call.wrong(merge, args), total, total);
  if (found != nullptr) *found = found_outputs(call, config);
  return wrong;
}

/// Checks keys drawn(seed, i), in the order of `less` and in none: of sizes around a tile's, and of `sizes`.
/// `wrong(a, b, sorted)` gives what is wrong, or nothing.
template <class Less, class Drawn, class Wrong>
void check_pairs_by(const Less& less, const Drawn& drawn, uint64_t tile,
                    std::vector<std::pair<uint64_t, uint64_t>> sizes, const Wrong& wrong) {
  sizes.insert(sizes.end(), {{0, 3}, {2, 5}, {tile / 2, tile / 2 + 1}, {2 * tile + 9, tile / 3}, {7, 2 * tile + 1}});
  for (const auto& size : sizes)
    for (const bool sorted : {true, false}) {
      CAPTURE(size.first);
      CAPTURE(size.second);
      std::vector<decltype(drawn(uint64_t{0}, uint64_t{0}))> a, b;
      for (uint64_t i = 0; i < size.first; ++i) a.push_back(drawn(size.first, i));
      for (uint64_t i = 0; i < size.second; ++i) b.push_back(drawn(size.second + 1, i));
      for (auto* keys : {&a, &b})
        if (sorted) std::ranges::stable_sort(*keys, less);
      CHECK(wrong(a, b, sorted) == "");
    }
}

template <class T>
std::string wrong_merge(Gpu& gpu, const Merge& merge, const MergeConfig& config, const std::vector<T>& a,
                        const std::vector<T>& b, const MergeOptions& options, Bytes* found = nullptr) {
  return wrong_merge_by(merge_less<T>, gpu, merge, config, a, b, options, found);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
Bytes check_merge(Backend& backend, MergeConfig config, const std::vector<T>& a, const std::vector<T>& b,
                  const MergeOptions& options = {}) {
  config.key = item_type<T>();
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  Bytes found;
  CHECK(wrong_merge<T>(backend.gpu(), create<Merge>(backend, config), config, a, b, options, &found) == "");
  return found;
}

/// Pairs of sequences, in the order of the merge, on which merges go wrong: ties, sequences of which one is exhausted
/// first, or lies before the other.
template <class T>
std::vector<std::pair<std::vector<T>, std::vector<T>>> hard_sequences(uint64_t a, uint64_t b, bool descending) {
  std::vector<std::pair<std::vector<T>, std::vector<T>>> pairs;
  const auto add = [&](std::vector<T> of_a, std::vector<T> of_b) {
    pairs.emplace_back(in_merge_order(std::move(of_a), descending), in_merge_order(std::move(of_b), descending));
  };
  for (auto& [of_a, of_b] : hard_keys<T>(a, b)) add(of_a, of_b);
  const std::vector<T> all = sorted(drawn_keys<T>(a + b, 21));
  const auto split = static_cast<std::ptrdiff_t>(a), other = static_cast<std::ptrdiff_t>(b);
  add({all.begin(), all.begin() + split}, {all.begin() + split, all.end()});
  add({all.begin() + other, all.end()}, {all.begin(), all.begin() + other});
  return pairs;
}

/// Two sequences of `total` keys, mostly sorted, and what else `options` have of them. One of `step` of A's is B's too.
template <class T, class Config, class Options>
std::pair<std::vector<T>, std::vector<T>> drawn_pair(Draws& draw, const Config& config, uint64_t total, uint64_t step,
                                                     Options& options) {
  const uint64_t n = draw.below(total + 1);
  const bool descending = config.order == SortOrder::descending;
  std::vector<T> a = draw.items<T>(n), b = draw.items<T>(total - n);
  for (uint64_t i = 0; i < n && !b.empty(); i += step) a[i] = b[draw.below(b.size())];
  options.sorted = !draw.one_in(10);
  if (options.sorted) a = in_merge_order(std::move(a), descending);
  if (options.sorted || draw.one_in(2)) b = in_merge_order(std::move(b), descending);
  options.a_misalignment = draw.misalignment(sizeof(T));
  options.b_misalignment = draw.misalignment(sizeof(T));
  options.out_misalignment = draw.misalignment(sizeof(T));
  if (config.value_bytes != 0) options.values_misalignment = draw.misalignment(config.value_bytes);
  options.count_a = draw.device_count(n);
  options.count_b = draw.device_count(total - n);
  options.dirt = draw.dirt();
  return {std::move(a), std::move(b)};
}

}  // namespace weft::test
