// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a sort once, in guarded buffers, and checks everything that holds for every run: keys and values come out as the
// standard library's stable sort puts them, bit for bit, inputs stay as they are and nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <weft/radix_sort.hpp>

#include "support/config_text.hpp"
#include "support/draws.hpp"
#include "support/oracle.hpp"
#include "support/primitive_call.hpp"
#include "support/random.hpp"
#include "support/search_run.hpp"

namespace weft::test {

/// The unsigned number that has the key's position in the order of its type.
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

/// What comes out where what came in: out[i] is the key that was at position i of the result.
template <class T>
std::vector<uint32_t> sorted_positions(const std::vector<T>& keys, uint64_t count, const RadixSortConfig& config) {
  const uint32_t end = config.end_bit != 0 ? config.end_bit : 8 * sizeof(T);
  const uint64_t mask = ~uint64_t{0} >> (64 - (end - config.begin_bit));
  std::vector<uint64_t> bits(count);
  for (uint64_t i = 0; i < count; ++i) bits[i] = (ordered_bits(keys[i]) >> config.begin_bit) & mask;
  std::vector<uint32_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0u);
  const bool descending = config.order == SortOrder::descending;
  std::ranges::stable_sort(positions,
                           [&](uint32_t a, uint32_t b) { return descending ? bits[b] < bits[a] : bits[a] < bits[b]; });
  return positions;
}

/// Calls `test.operator()<T>(order, value_bytes)` for keys of every type, both ways, as far as they take their turn.
template <class Test>
void for_every_key_in_turn(const Backend& backend, const Test& test) {
  uint32_t turn = 0;
  for_every_key([&]<class T>() {
    for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
      // Emulation is slow, and types of a size differ in nothing that depends on it.
      if (backend.is_emulated() &&
          (!std::is_floating_point_v<T> || (sizeof(T) == 8) == (order == SortOrder::ascending)))
        continue;
      if (takes_turn(turn++))
        test.template operator()<T>(order, sizeof(T) == 4 || order == SortOrder::descending ? 8 : 4);
    }
  });
}

struct SortOptions {
  VkDeviceSize keys_misalignment = 0, values_misalignment = 0, keys_out_misalignment = 0, values_out_misalignment = 0;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

/// As many numbers, from 0 on, so that they show which of equal keys came first.
inline Bytes numbered_values(uint64_t n, uint32_t value_bytes) {
  Bytes values(n * value_bytes);
  for (uint64_t i = 0; i < n; ++i) {
    // The upper half counts too.
    const uint64_t value = value_bytes == 8 ? i << 32 | (~i & 0xffffffff) : i;
    if (value_bytes != 0) std::memcpy(values.data() + i * value_bytes, &value, value_bytes);
  }
  return values;
}

/// Gives what is wrong, or nothing; `found`: all keys that came out.
template <class T>
std::string wrong_sort(Gpu& gpu, const RadixSort& sort, const RadixSortConfig& config, const std::vector<T>& keys,
                       const SortOptions& options, Bytes* found = nullptr) {
  const uint64_t n = keys.size();
  const Bytes values = numbered_values(n, config.value_bytes);
  const std::vector<uint32_t> positions = sorted_positions(keys, obeyed(options.device_count, n), config);
  PrimitiveCall call(gpu, options.dirt);
  RadixSortArgs args{call.input("keys", keys, options.keys_misalignment),
                     {},
                     call.output("keys_out", n * sizeof(T), options.keys_out_misalignment),
                     {},
                     call.scratch(sort.scratch_size(n)),
                     call.count(options.device_count, n)};
  call.expect("keys_out", gathered(std::as_bytes(std::span(keys)), sizeof(T), positions), sizeof(T));
  if (config.value_bytes != 0) {
    args.values = call.input("values", values, options.values_misalignment);
    args.values_out = call.output("values_out", values.size(), options.values_out_misalignment);
    call.expect("values_out", gathered(values, config.value_bytes, positions), config.value_bytes);
  }
  const std::string wrong = call.wrong(sort, args);
  if (found != nullptr) *found = call.found("keys_out");
  return wrong;
}

/// Keys of distributions on which sorts go wrong.
template <class T>
std::vector<std::vector<T>> hard_sort_keys(uint64_t n) {
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

/// Runs it, by both strategies where the config leaves the choice, and fails the running test where anything is wrong.
/// Gives the keys that came out.
template <class T>
Bytes check_sort(Backend& backend, RadixSortConfig config, const std::vector<T>& keys,
                 const SortOptions& options = {}) {
  config.key = type_of<T>;
  if (config.strategy == Strategy::automatic) {
    config.strategy = Strategy::look_back;
    check_sort(backend, config, keys, options);
    config.strategy = Strategy::reduce_then_scan;
  }
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  Bytes found;
  CHECK(wrong_sort(backend.gpu(), create<RadixSort>(backend, config), config, keys, options, &found) == "");
  return found;
}

template <class T>
SortOptions drawn_sort_options(Draws& draw, uint64_t n) {
  return {draw.misalignment(sizeof(T)), draw.misalignment(4), draw.misalignment(sizeof(T)),
          draw.misalignment(4),         draw.device_count(n), draw.dirt()};
}

}  // namespace weft::test
