// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a sort once, in guarded buffers, and checks everything that holds for every run: keys and values come out as the standard
// library's stable sort puts them, bit for bit, inputs stay as they are and nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <weft/radix_sort.hpp>

#include "support/device.hpp"
#include "support/given_count.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random.hpp"
#include "support/run.hpp"

namespace weft::test {

/// The unsigned number that has the key's place in the order of its type.
template <class T>
uint64_t ordered_bits(T key) {
  if constexpr (std::floating_point<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const auto bits = std::bit_cast<Bits>(key);
    constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
    return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : bits ^ kSign;
  } else {
    using Bits = std::make_unsigned_t<T>;
    const auto bits = static_cast<Bits>(key);
    if constexpr (std::signed_integral<T>) return bits ^ (Bits{1} << (8 * sizeof(T) - 1));
    return bits;
  }
}

/// What comes out where what came in: out[i] is the key that was at place i of the result.
template <class T>
std::vector<uint32_t> sorted_places(const std::vector<T>& keys, uint64_t count, const RadixSortConfig& config) {
  const uint32_t end = config.end_bit != 0 ? config.end_bit : 8 * sizeof(T);
  const uint64_t mask = ~uint64_t{0} >> (64 - (end - config.begin_bit));
  std::vector<uint64_t> bits(count);
  for (uint64_t i = 0; i < count; ++i) bits[i] = (ordered_bits(keys[i]) >> config.begin_bit) & mask;
  std::vector<uint32_t> places(count);
  std::iota(places.begin(), places.end(), 0u);
  const bool descending = config.order == SortOrder::descending;
  std::ranges::stable_sort(places,
                           [&](uint32_t a, uint32_t b) { return descending ? bits[b] < bits[a] : bits[a] < bits[b]; });
  return places;
}

struct SortOptions {
  VkDeviceSize keys_misalignment = 0, values_misalignment = 0, keys_out_misalignment = 0, values_out_misalignment = 0;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

/// As many numbers, from 0 on, so that they show which of equal keys came first.
inline std::vector<std::byte> numbered_values(uint64_t n, uint32_t value_bytes) {
  std::vector<std::byte> values(n * value_bytes);
  for (uint64_t i = 0; i < n; ++i) {
    // The upper half tells too.
    const uint64_t value = value_bytes == 8 ? i << 32 | (~i & 0xffffffff) : i;
    if (value_bytes != 0) std::memcpy(values.data() + i * value_bytes, &value, value_bytes);
  }
  return values;
}

/// Gives what is wrong, or nothing; `found`: all keys that came out.
template <class T>
std::string wrong_sort(Gpu& gpu, const RadixSort& sort, const RadixSortConfig& config, const std::vector<T>& keys,
                       const SortOptions& options, std::vector<std::byte>* found = nullptr) {
  const uint64_t n = keys.size(), value_bytes = config.value_bytes;
  const std::vector<std::byte> values = numbered_values(n, config.value_bytes);
  GuardedBuffer keys_in(gpu, n * sizeof(T), options.keys_misalignment, std::as_bytes(std::span(keys)));
  GuardedBuffer values_in(gpu, values.size(), options.values_misalignment, values);
  GuardedBuffer keys_out(gpu, n * sizeof(T), options.keys_out_misalignment, {}, options.dirt);
  GuardedBuffer values_out(gpu, values.size(), options.values_out_misalignment, {}, options.dirt);
  GuardedBuffer scratch(gpu, sort.scratch_size(n), 0, {}, options.dirt);
  const GivenCount count(gpu, options.device_count, n);
  RadixSortArgs args{keys_in.range(), {}, keys_out.range(), {}, scratch.range(), count.count()};
  if (value_bytes != 0) {
    args.values = values_in.range();
    args.values_out = values_out.range();
  }
  const auto ran = gpu.run([&](VkCommandBuffer commands) { return sort.record(commands, args); });
  if (!ran) return ran.error().message;

  std::vector<std::byte> bytes;
  const auto is_left = [&](GuardedBuffer& buffer, std::span<const std::byte> before) {
    return buffer.read(bytes).empty() && std::ranges::equal(bytes, before);
  };
  if (!is_left(keys_in, std::as_bytes(std::span(keys)))) return "the keys, or what lies around them, were written to";
  if (!is_left(values_in, values)) return "the values, or what lies around them, were written to";
  if (const std::string spoilt = scratch.overwritten(); !spoilt.empty()) return "scratch: " + spoilt;
  std::vector<std::byte> moved;
  if (const std::string spoilt = values_out.read(moved); !spoilt.empty()) return "values_out: " + spoilt;
  if (const std::string spoilt = keys_out.read(bytes); !spoilt.empty()) return "keys_out: " + spoilt;
  if (found != nullptr) *found = bytes;

  const std::vector<uint32_t> places = sorted_places(keys, count.obeyed(), config);
  const auto is_right = [&](const std::vector<std::byte>& outputs, std::span<const std::byte> inputs, uint64_t size) {
    for (uint64_t i = 0; i < n; ++i) {
      const auto at = outputs.begin() + static_cast<std::ptrdiff_t>(i * size);
      const auto end = at + static_cast<std::ptrdiff_t>(size);
      const bool right = i < places.size()
                             ? std::memcmp(&*at, inputs.data() + places[i] * size, size) == 0
                             : std::all_of(at, end, [&](std::byte byte) { return byte == std::byte{options.dirt}; });
      if (!right) return std::to_string(i);
    }
    return std::string();
  };
  if (const std::string wrong = is_right(bytes, std::as_bytes(std::span(keys)), sizeof(T)); !wrong.empty())
    return "key " + wrong + " of " + std::to_string(n) + " is wrong";
  if (value_bytes != 0)
    if (const std::string wrong = is_right(moved, values, value_bytes); !wrong.empty())
      return "value " + wrong + " of " + std::to_string(n) + " is wrong";
  return {};
}

/// Keys of distributions on which sorts go wrong.
template <class T>
std::vector<std::vector<T>> telling_sort_keys(uint64_t n) {
  const auto drawn = [n](auto word_of) {
    std::vector<T> keys(n);
    for (uint64_t i = 0; i < n; ++i) {
      const uint64_t word = word_of(i);
      std::memcpy(&keys[i], &word, sizeof(T));
    }
    return keys;
  };
  const auto by_order = [](T a, T b) { return ordered_bits(a) < ordered_bits(b); };
  std::vector<T> rising = drawn([](uint64_t i) { return random_word(1, i); });
  std::ranges::sort(rising, by_order);
  std::vector<T> falling = rising;
  std::ranges::reverse(falling);
  return {
      drawn([](uint64_t i) { return random_word(2, i); }),
      rising,
      falling,
      drawn([](uint64_t) { return ~uint64_t{0}; }),
      drawn([](uint64_t) { return uint64_t{0}; }),
      drawn([](uint64_t i) { return random_word(3, i) % 3 * 0x4000000180000001u; }),
      drawn([](uint64_t i) { return random_word(4, i) & random_word(5, i) & random_word(6, i); }),
      drawn([](uint64_t i) { return i % 2 * ~uint64_t{0}; }),
      // One key apart from all others.
      drawn([n](uint64_t i) { return i == n / 2 ? uint64_t{1} << 33 | 2 : ~uint64_t{0}; }),
  };
}

/// The sort, built at the first request with the tuning of the environment.
inline const RadixSort& made_sort(Backend& backend, const RadixSortConfig& config) {
  return backend.primitive<RadixSort>(std::string("RadixSort ") + name_of(config.key) + ' ' +
                                          std::to_string(config.value_bytes) + ' ' + name_of(config.order) + ' ' +
                                          std::to_string(config.begin_bit) + ' ' + std::to_string(config.end_bit) +
                                          ' ' + name_of(config.strategy),
                                      config);
}

/// Runs it, by both strategies where the config leaves the choice, and fails the running test where anything is wrong. Gives the keys that
/// came out.
template <class T>
std::vector<std::byte> check_sort(Backend& backend, RadixSortConfig config, const std::vector<T>& keys,
                                  const SortOptions& options = {}) {
  config.key = type_of<T>;
  if (config.strategy == Strategy::automatic) {
    config.strategy = Strategy::look_back;
    check_sort(backend, config, keys, options);
    config.strategy = Strategy::reduce_then_scan;
  }
  CAPTURE(backend.name());
  CAPTURE(std::string(name_of(config.key)));
  CAPTURE(config.value_bytes);
  CAPTURE(std::string(name_of(config.order)));
  CAPTURE(std::string(name_of(config.strategy)));
  CAPTURE(config.begin_bit);
  CAPTURE(config.end_bit);
  CAPTURE(keys.size());
  CAPTURE(options.keys_misalignment);
  CAPTURE(options.values_misalignment);
  CAPTURE(options.keys_out_misalignment);
  CAPTURE(options.values_out_misalignment);
  std::vector<std::byte> found;
  CHECK(wrong_sort(backend.gpu(), made_sort(backend, config), config, keys, options, &found) == "");
  return found;
}

}  // namespace weft::test
