// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a merge once, in guarded buffers, and checks everything that holds for every run: all outputs are what the standard library's
// stable merge makes, nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weft/merge.hpp>

#include "support/device.hpp"
#include "support/given_count.hpp"
#include "support/guarded_buffer.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/search_run.hpp"

namespace weft::test {

/// The order of keys in a merge: total, -0 in front of 0, NaN outside of numbers.
template <class T>
bool merge_less(T a, T b) {
  if constexpr (std::is_same_v<T, F16>) {
    const auto place = [](F16 v) { return (v.bits & 0x8000) != 0 ? -1 - (v.bits & 0x7fff) : int{v.bits}; };
    return place(a) < place(b);
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

/// Gives what is wrong, or nothing; `found`: all keys, or, where they are not written, all indices. `key_is_less`: the order of
/// ascending keys.
template <class T, class Less>
std::string wrong_merge_by(const Less& key_is_less, Gpu& gpu, const Merge& merge, const MergeConfig& config,
                           const std::vector<T>& a, const std::vector<T>& b, const MergeOptions& options,
                           std::vector<std::byte>* found = nullptr) {
  const uint64_t value_bytes = config.value_bytes;
  std::vector<std::byte> values((a.size() + b.size()) * value_bytes);
  for (uint64_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(random_word(7, i));
  struct Range {
    const char* name;
    std::span<const std::byte> contents;
    GuardedBuffer buffer;
  };
  const auto bytes_of = [](const std::vector<T>& keys) { return std::as_bytes(std::span(keys)); };
  const auto input = [&](const char* name, std::span<const std::byte> bytes, VkDeviceSize misalignment) {
    return Range{name, bytes, GuardedBuffer(gpu, bytes.size(), misalignment, bytes)};
  };
  const VkDeviceSize off = options.values_misalignment;
  Range inputs[] = {input("keys_a", bytes_of(a), options.a_misalignment),
                    input("keys_b", bytes_of(b), options.b_misalignment),
                    input("values_a", std::span(values).first(a.size() * value_bytes), 3 * off % 16),
                    input("values_b", std::span(values).subspan(a.size() * value_bytes), off)};
  const uint64_t room = a.size() + b.size();
  GuardedBuffer keys_out(gpu, config.keys ? room * sizeof(T) : 0, options.out_misalignment, {}, options.dirt);
  GuardedBuffer values_out(gpu, room * value_bytes, 5 * off % 16, {}, options.dirt);
  GuardedBuffer indices_out(gpu, config.indices ? room * 4 : 0, options.out_misalignment / 4 * 4, {}, options.dirt);
  GuardedBuffer scratch(gpu, merge.scratch_size(a.size(), b.size()), 0, {}, options.dirt);
  const GivenCount count_a(gpu, options.count_a, a.size()), count_b(gpu, options.count_b, b.size());
  MergeArgs args{.keys_a = inputs[0].buffer.range(),
                 .keys_b = inputs[1].buffer.range(),
                 .scratch = scratch.range(),
                 .count_a = count_a.count(),
                 .count_b = count_b.count()};
  if (config.keys) args.keys_out = keys_out.range();
  if (config.indices) args.indices_out = indices_out.range();
  if (value_bytes != 0) {
    args.values_a = inputs[2].buffer.range();
    args.values_b = inputs[3].buffer.range();
    args.values_out = values_out.range();
  }
  const auto ran = gpu.run([&](VkCommandBuffer commands) { return merge.record(commands, args); });
  if (!ran) return ran.error().message;

  std::vector<std::byte> bytes;
  for (Range& range : inputs)
    if (!range.buffer.read(bytes).empty() || !std::ranges::equal(bytes, range.contents))
      return std::string(range.name) + ", or what lies around it, was written to";
  if (const std::string spoilt = scratch.overwritten(); !spoilt.empty()) return "scratch: " + spoilt;

  // From where each output comes.
  const auto less = [&](const T& x, const T& y) {
    return config.order == SortOrder::descending ? key_is_less(y, x) : key_is_less(x, y);
  };
  const uint64_t obeyed_a = count_a.obeyed(), total = obeyed_a + count_b.obeyed();
  std::vector<uint32_t> origins;
  for (uint64_t i = 0, j = 0; i + j < total;) {
    const bool from_a = j == count_b.obeyed() || (i < obeyed_a && !less(b[j], a[i]));
    origins.push_back(static_cast<uint32_t>(from_a ? i++ : obeyed_a + j++));
  }
  const auto compare = [&](const char* name, GuardedBuffer& buffer, uint64_t item_bytes,
                           const std::function<const void*(uint64_t)>& expected) -> std::string {
    if (const std::string spoilt = buffer.read(bytes); !spoilt.empty()) return name + (": " + spoilt);
    for (uint64_t i = total * item_bytes; i < bytes.size(); ++i)
      if (bytes[i] != std::byte{options.dirt}) return std::string(name) + " was written to behind its last item";
    for (uint64_t i = 0; options.sorted && item_bytes != 0 && i < total && !bytes.empty(); ++i)
      if (std::memcmp(bytes.data() + i * item_bytes, expected(i), item_bytes) != 0)
        return std::string(name) + ": item " + std::to_string(i) + " of " + std::to_string(total) + " is wrong";
    return {};
  };
  const auto input_of = [&](uint64_t i) { return origins[i] < obeyed_a ? 0 : 1; };
  const auto place_of = [&](uint64_t i) { return origins[i] - (origins[i] < obeyed_a ? 0 : obeyed_a); };
  std::string wrong = compare("indices_out", indices_out, 4, [&](uint64_t i) { return &origins[i]; });
  // Also of sequences that are not sorted.
  if (config.indices) {
    const std::vector<uint32_t> indices = items_of<uint32_t>(bytes);
    for (uint64_t i = 0; i < total; ++i)
      if (indices[i] >= total) return "an index is " + std::to_string(indices[i]) + " of " + std::to_string(total);
  }
  if (found != nullptr && !config.keys) *found = bytes;
  if (wrong.empty())
    wrong = compare("values_out", values_out, value_bytes,
                    [&](uint64_t i) { return inputs[2 + input_of(i)].contents.data() + place_of(i) * value_bytes; });
  // As bits: NaN is not equal to itself.
  if (wrong.empty())
    wrong = compare("keys_out", keys_out, sizeof(T),
                    [&](uint64_t i) { return inputs[input_of(i)].contents.data() + place_of(i) * sizeof(T); });
  if (found != nullptr && config.keys) *found = bytes;
  return wrong;
}

template <class T>
std::string wrong_merge(Gpu& gpu, const Merge& merge, const MergeConfig& config, const std::vector<T>& a,
                        const std::vector<T>& b, const MergeOptions& options, std::vector<std::byte>* found = nullptr) {
  return wrong_merge_by(merge_less<T>, gpu, merge, config, a, b, options, found);
}

/// What a config asks for, in words.
inline std::string text_of(const MergeConfig& config) {
  return (config.own_kernels ? config.own_kernels->name() : std::string(name_of(config.key))) +
         (config.order == SortOrder::descending ? " descending" : "") + (config.keys ? " keys" : "") +
         (config.indices ? " indices" : "") +
         (config.value_bytes != 0 ? " values of " + std::to_string(config.value_bytes) : "");
}

/// The merge, built at the first request with the tuning of the environment.
inline const Merge& made_merge(Backend& backend, const MergeConfig& config) {
  return backend.primitive<Merge>("Merge " + text_of(config), config);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
std::vector<std::byte> check_merge(Backend& backend, MergeConfig config, const std::vector<T>& a,
                                   const std::vector<T>& b, const MergeOptions& options = {}) {
  config.key = item_type<T>();
  CAPTURE(backend.name());
  CAPTURE(text_of(config));
  CAPTURE(a.size());
  CAPTURE(b.size());
  CAPTURE(options.a_misalignment);
  CAPTURE(options.b_misalignment);
  CAPTURE(options.out_misalignment);
  CAPTURE(options.values_misalignment);
  std::vector<std::byte> found;
  CHECK(wrong_merge<T>(backend.gpu(), made_merge(backend, config), config, a, b, options, &found) == "");
  return found;
}

/// Pairs of sequences, in the order of the merge, on which merges go wrong: ties, sequences of which one is exhausted first, or lies
/// in front of the other.
template <class T>
std::vector<std::pair<std::vector<T>, std::vector<T>>> telling_sequences(uint64_t a, uint64_t b, bool descending) {
  std::vector<std::pair<std::vector<T>, std::vector<T>>> pairs;
  const auto add = [&](std::vector<T> of_a, std::vector<T> of_b) {
    pairs.emplace_back(in_merge_order(std::move(of_a), descending), in_merge_order(std::move(of_b), descending));
  };
  for (auto& [of_a, of_b] : telling_keys<T>(a, b)) add(of_a, of_b);
  const std::vector<T> all = sorted(drawn_keys<T>(a + b, 21));
  const auto split = static_cast<std::ptrdiff_t>(a), other = static_cast<std::ptrdiff_t>(b);
  add({all.begin(), all.begin() + split}, {all.begin() + split, all.end()});
  add({all.begin() + other, all.end()}, {all.begin(), all.begin() + other});
  return pairs;
}

}  // namespace weft::test
