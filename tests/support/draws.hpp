// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What fuzz tests draw: sizes, offsets and data, as a pure function of a seed and a case's index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/simpler.hpp"

namespace weft::test {

/// The choices of one case, one after the other.
class Draws {
 public:
  Draws(uint64_t seed, uint64_t index, const Simpler& simpler = {})
      : sequence_(random_word(seed, index)), simpler_(simpler) {}

  uint64_t word() { return random_word(sequence_, next_++); }
  /// In [0, n); n > 0.
  uint64_t below(uint64_t n) { return word() % n; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  /// In [1, most], each power of two as likely as the next.
  uint64_t of_any_magnitude(uint64_t most) {
    uint64_t magnitudes = 1;
    while (magnitudes < 64 && most >> magnitudes) ++magnitudes;
    const uint64_t top = uint64_t{1} << below(magnitudes);
    return std::min(most, top + below(top));
  }

  /// How many items: mostly below 20,000, some to 200,000; one in four at an edge of a tile; a few none.
  uint64_t count(uint64_t tile_items) { return at_most(drawn_count(tile_items)); }
  /// `n`, or what a simpler case has of it.
  uint64_t at_most(uint64_t n) {
    const uint64_t items = std::min(n, simpler_.items);
    most_items_ = std::max(most_items_, items);
    return items;
  }
  /// The largest number that at_most gave.
  uint64_t most_items() const { return most_items_; }
  /// A misalignment modulo 16 of items of `item_bytes`; one in two none.
  VkDeviceSize misalignment(uint64_t item_bytes) {
    const uint64_t step = std::min<uint64_t>(item_bytes & (~item_bytes + 1), 4);
    const VkDeviceSize drawn = one_in(2) ? 0 : below(16 / step) * step;
    return simpler_.aligned ? 0 : drawn;
  }
  uint8_t dirt() {
    const uint8_t drawn = pick<uint8_t>({0x00, 0xdb, 0xff});
    return simpler_.clean ? 0 : drawn;
  }
  /// One in three: a count on the device, below, at or above its maximum.
  std::optional<DeviceCount> device_count(uint64_t maximum) {
    if (!one_in(3)) return std::nullopt;
    const uint32_t bytes = one_in(2) ? 4 : 8;
    const uint64_t value = one_in(4) ? maximum + below(1000) : one_in(8) ? ~uint64_t{0} : below(maximum + 1);
    if (simpler_.host_count) return std::nullopt;
    return DeviceCount{bytes == 4 ? value & 0xffffffff : value, bytes};
  }

  /// Items of one of a few kinds: random, of few values, in runs of some length, all equal, alternating, nearly sorted.
  /// Floats are small integers, whose sums are exact in any order.
  template <class T>
  std::vector<T> items(uint64_t n) {
    std::vector<T> result(n);
    const uint64_t seed = word();
    const uint64_t drawn = below(6), kind = simpler_.plain ? 3 : drawn;
    const uint64_t period = 2 + below(3);
    const uint64_t mean_run = of_any_magnitude(5000);
    uint64_t run = 0, run_end = 0;
    for (uint64_t i = 0; i < n; ++i) {
      uint64_t value = 0;
      switch (kind) {
        case 0: value = random_word(seed, i); break;
        case 1: value = random_word(seed, i) % 3; break;
        case 2:
          if (i == run_end) run_end += 1 + random_word(seed, ++run) % (2 * mean_run - 1);
          value = random_word(~seed, run);
          break;
        case 3: value = seed; break;
        case 4: value = random_word(seed, i % period); break;
        default: value = random_word(seed, i) % 50 == 0 ? random_word(seed, i + 1) : i / 3; break;
      }
      result[i] = item_of<T>(value);
    }
    return result;
  }
  /// Any bits, of some bytes an item.
  std::vector<uint8_t> bytes(uint64_t n) {
    std::vector<uint8_t> result(n);
    const uint64_t seed = word();
    for (uint64_t i = 0; i < n; ++i) result[i] = static_cast<uint8_t>(random_word(seed, i));
    return result;
  }

  template <class T>
  static T item_of(uint64_t word) {
    if constexpr (std::is_same_v<T, U32x2>)
      return {static_cast<uint32_t>(word) | 1u, static_cast<uint32_t>(word >> 32)};
    else if constexpr (std::is_same_v<T, F16>)
      return f16_of(static_cast<float>(static_cast<int>(word % 7) - 3));
    else if constexpr (std::floating_point<T>)
      return static_cast<T>(static_cast<int>(word % 7) - 3);
    else
      return static_cast<T>(word);
  }

 private:
  uint64_t drawn_count(uint64_t tile_items) {
    if (one_in(24)) return below(4);
    if (one_in(40)) return of_any_magnitude(200'000);
    if (one_in(4) && tile_items < 12'000)
      return std::max<uint64_t>((1 + below(12'000 / tile_items)) * tile_items + below(3), 1) - 1;
    return of_any_magnitude(20'000);
  }

  uint64_t sequence_;
  uint64_t next_ = 0;
  Simpler simpler_;
  uint64_t most_items_ = 0;
};

/// Items of which none has been written: `count` of the byte `dirt`.
template <class T>
std::vector<T> dirty_items(uint64_t count, uint8_t dirt) {
  std::vector<T> items(count);
  if (count > 0) std::memset(static_cast<void*>(items.data()), dirt, count * sizeof(T));
  return items;
}

}  // namespace weft::test
