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

#include <weft/interval_move.hpp>
#include <weft/load_balance_search.hpp>

#include "support/config_text.hpp"
#include "support/draws.hpp"
#include "support/oracle.hpp"
#include "support/primitive_call.hpp"
#include "support/random.hpp"

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

struct IntervalOptions {
  std::optional<uint64_t> max_output{};  ///< none: exactly the total
  VkDeviceSize input_misalignment = 0, counts_misalignment = 0, output_misalignment = 0, other_misalignment = 0;
  std::optional<DeviceCount> device_count{};
  Bytes input{};  ///< of values and items; empty: random ones
  uint8_t dirt = 0xdb;
};

/// A call on intervals, with what all of them have beside their own ranges. Counts are those of the intervals, or
/// offsets, by `type`.
template <class Args>
struct IntervalCall : PrimitiveCall {
  template <class Primitive>
  IntervalCall(Gpu& gpu, const Primitive& primitive, const Counts& counts, IntervalsBy by, Type type,
               const IntervalOptions& options)
      : PrimitiveCall(gpu, options.dirt),
        looked_at(std::span(counts).first(obeyed(options.device_count, counts.size()))),
        expected_total(total_of(looked_at)),
        max_output(options.max_output.value_or(expected_total)) {
    const BufferRange count_range = input("counts", bytes_of_intervals(counts, by, type), options.counts_misalignment);
    if constexpr (requires { args.lengths; })
      args.lengths = count_range;
    else
      args.counts = count_range;
    args.total = output("total", 8, 4);
    args.status = output("status", kReportsInterval ? 8 : 4, 8);
    args.scratch = scratch(primitive.scratch_size(counts.size()));
    args.count = count(options.device_count, counts.size());
    args.max_output = max_output;
  }

  /// Runs it, and fails the running test where anything is wrong. `first_bad`: the first interval that is out of range.
  template <class Primitive>
  void check(const Primitive& primitive, uint32_t first_bad = ~uint32_t{0}) {
    CAPTURE(expected_total);
    CAPTURE(max_output);
    const uint32_t bits = (expected_total > max_output ? 1u : 0u) + (first_bad != ~uint32_t{0} ? 2u : 0u);
    expect("total", std::vector{expected_total});
    expect("status", kReportsInterval ? std::vector{bits, first_bad} : std::vector{bits});
    CHECK(wrong(primitive, args) == "");
  }

  static constexpr bool kReportsInterval = std::is_same_v<Args, IntervalMoveArgs>;
  std::span<const uint64_t> looked_at;
  uint64_t expected_total;
  uint64_t max_output;
  Args args{};
};

inline IntervalOptions drawn_interval_options(Draws& draw, uint64_t n, uint64_t input_bytes, uint64_t output_bytes) {
  return {.input_misalignment = draw.misalignment(input_bytes),
          .counts_misalignment = draw.misalignment(4),
          .output_misalignment = draw.misalignment(output_bytes),
          .other_misalignment = draw.misalignment(4),
          .device_count = draw.device_count(n),
          .dirt = draw.dirt()};
}

}  // namespace weft::test
