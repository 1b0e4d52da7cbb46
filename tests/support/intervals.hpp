// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Counts of intervals, and the offsets they add up to.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <weft/load_balance_search.hpp>

#include "support/guarded_buffer.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/run.hpp"

namespace weft::test {

using Counts = std::vector<uint64_t>;

inline Counts random_counts(uint64_t number, uint64_t below, uint64_t seed = 1) {
  Counts counts(number);
  for (uint64_t i = 0; i < number; ++i) counts[i] = random_word(seed, i) % below;
  return counts;
}

/// Mostly small, some zero, a few very large.
inline Counts mixed_counts(uint64_t number, uint64_t seed) {
  Counts counts(number);
  for (uint64_t i = 0; i < number; ++i) {
    const uint64_t word = random_word(seed, i);
    counts[i] = word % 97 == 0 ? (word >> 20) % 5000 : word % 3 == 0 ? 0 : (word >> 8) % 9;
  }
  return counts;
}

/// One more than there are counts. They wrap.
inline Counts offsets_of(const Counts& counts) {
  Counts offsets = {0};
  for (const uint64_t count : counts) offsets.push_back(offsets.back() + count);
  return offsets;
}

/// Counts or offsets as they lie in memory.
inline std::vector<std::byte> bytes_of_intervals(const Counts& counts, IntervalsBy by, Type type) {
  return bytes_of_lengths(by == IntervalsBy::offsets ? offsets_of(counts) : counts, type);
}

/// What every call on intervals has beside its own ranges, and how it must be left.
struct IntervalCall {
  /// Whether the total is above the maximum; and the first interval that is out of range.
  enum class Status : uint8_t { overflow, with_first_bad };

  IntervalCall(Gpu& gpu, const Counts& counts, VkDeviceSize scratch_bytes,
               const std::optional<DeviceCount>& device_count, std::optional<uint64_t> room, uint8_t dirt,
               Status status_words = Status::overflow)
      : total(gpu, 8, 4, {}, dirt),
        status(gpu, status_words == Status::overflow ? 4 : 8, 8, {}, dirt),
        scratch(gpu, scratch_bytes, 0, {}, dirt),
        count(uint64_t{counts.size()}),
        obeyed(std::span(counts).first(device_count ? std::min<uint64_t>(device_count->value, counts.size())
                                                    : counts.size())),
        expected_total(total_of(obeyed)),
        max_output(room.value_or(expected_total)) {
    if (!device_count) return;
    count_buffer.emplace(gpu, device_count->bytes, 4,
                         std::as_bytes(std::span(&device_count->value, 1)).first(device_count->bytes));
    count = Count::on_device(count_buffer->range(), counts.size());
  }

  void check() {
    CAPTURE(expected_total);
    CAPTURE(max_output);
    std::vector<std::byte> found;
    CHECK(total.read(found) == "");
    uint64_t told = 0;
    std::memcpy(&told, found.data(), 8);
    CHECK(told == expected_total);
    CHECK(status.read(found) == "");
    uint32_t bits = 0, first_bad = ~uint32_t{0};
    std::memcpy(&bits, found.data(), 4);
    if (found.size() == 8) std::memcpy(&first_bad, found.data() + 4, 4);
    CHECK(bits == (expected_total > max_output ? 1u : 0u) + (expected_first_bad != ~uint32_t{0} ? 2u : 0u));
    CHECK(first_bad == expected_first_bad);
    CHECK(scratch.overwritten() == "");
  }

  GuardedBuffer total, status, scratch;
  std::optional<GuardedBuffer> count_buffer;
  Count count;
  std::span<const uint64_t> obeyed;  ///< the counts that the call is to look at
  uint64_t expected_total;
  uint64_t max_output;
  uint64_t expected_first_bad = ~uint32_t{0};
};

}  // namespace weft::test
