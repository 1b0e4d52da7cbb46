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
#include <optional>
#include <string>
#include <vector>

#include <weft/merge.hpp>

#include "support/device.hpp"
#include "support/given_count.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/search_run.hpp"

namespace weft::test {

/// The order of keys in a merge: total, -0 in front of 0, NaN outside of numbers.
template <class T>
bool merge_less(T a, T b) {
  return std::is_lt(std::strong_order(a, b));
}

template <class T>
std::vector<T> in_merge_order(std::vector<T> keys, bool descending) {
  std::ranges::sort(keys, [&](T a, T b) { return descending ? merge_less(b, a) : merge_less(a, b); });
  return keys;
}

struct MergeOptions {
  VkDeviceSize a_misalignment = 0, b_misalignment = 0, out_misalignment = 0;
  std::optional<DeviceCount> count_a{}, count_b{};
  bool sorted = true;  ///< else nothing is expected but that all else stays as it is
  uint8_t dirt = 0xdb;
};

/// Gives what is wrong, or nothing; `found`: all outputs.
template <class T>
std::string wrong_merge(Gpu& gpu, const Merge& merge, const MergeConfig& config, const std::vector<T>& a,
                        const std::vector<T>& b, const MergeOptions& options, std::vector<std::byte>* found = nullptr) {
  const auto bytes_of = [](const std::vector<T>& keys) { return std::as_bytes(std::span(keys)); };
  const uint64_t room = a.size() + b.size();
  GuardedBuffer keys_a(gpu, a.size() * sizeof(T), options.a_misalignment, bytes_of(a));
  GuardedBuffer keys_b(gpu, b.size() * sizeof(T), options.b_misalignment, bytes_of(b));
  GuardedBuffer keys_out(gpu, room * sizeof(T), options.out_misalignment, {}, options.dirt);
  GuardedBuffer scratch(gpu, merge.scratch_size(a.size(), b.size()), 0, {}, options.dirt);
  const GivenCount count_a(gpu, options.count_a, a.size()), count_b(gpu, options.count_b, b.size());
  const auto ran = gpu.run([&](VkCommandBuffer commands) {
    return merge.record(commands, {.keys_a = keys_a.range(),
                                   .keys_b = keys_b.range(),
                                   .keys_out = keys_out.range(),
                                   .scratch = scratch.range(),
                                   .count_a = count_a.count(),
                                   .count_b = count_b.count()});
  });
  if (!ran) return ran.error().message;

  std::vector<std::byte> bytes;
  const auto is_left = [&](GuardedBuffer& buffer, std::span<const std::byte> contents) {
    return buffer.read(bytes).empty() && std::ranges::equal(bytes, contents);
  };
  if (!is_left(keys_a, bytes_of(a))) return "keys_a, or what lies around it, was written to";
  if (!is_left(keys_b, bytes_of(b))) return "keys_b, or what lies around it, was written to";
  if (const std::string spoilt = scratch.overwritten(); !spoilt.empty()) return "scratch: " + spoilt;
  if (const std::string spoilt = keys_out.read(bytes); !spoilt.empty()) return "keys_out: " + spoilt;
  if (found != nullptr) *found = bytes;
  const uint64_t total = count_a.obeyed() + count_b.obeyed();
  for (uint64_t i = total * sizeof(T); i < room * sizeof(T); ++i)
    if (bytes[i] != std::byte{options.dirt}) return "keys_out was written to behind its last key";
  if (!options.sorted) return {};

  // As bits: NaN is not equal to itself.
  std::vector<T> expected;
  std::ranges::merge(std::span(a).first(count_a.obeyed()), std::span(b).first(count_b.obeyed()),
                     std::back_inserter(expected),
                     [&](T x, T y) { return config.descending ? merge_less(y, x) : merge_less(x, y); });
  for (uint64_t i = 0; i < total; ++i)
    if (std::memcmp(bytes.data() + i * sizeof(T), &expected[i], sizeof(T)) != 0)
      return "key " + std::to_string(i) + " of " + std::to_string(total) + " is wrong";
  return {};
}

/// The merge, built at the first request with the tuning of the environment.
inline const Merge& made_merge(Backend& backend, const MergeConfig& config) {
  const char* tuning = std::getenv("WEFT_TUNE");
  return backend.primitive<Merge>(std::string("Merge ") + name_of(config.key) +
                                      (config.descending ? " descending " : " ") + (tuning != nullptr ? tuning : ""),
                                  config);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
std::vector<std::byte> check_merge(Backend& backend, MergeConfig config, const std::vector<T>& a,
                                   const std::vector<T>& b, const MergeOptions& options = {}) {
  config.key = type_of<T>;
  CAPTURE(backend.name());
  CAPTURE(std::string(name_of(config.key)));
  CAPTURE(config.descending);
  CAPTURE(a.size());
  CAPTURE(b.size());
  CAPTURE(options.a_misalignment);
  CAPTURE(options.b_misalignment);
  CAPTURE(options.out_misalignment);
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
