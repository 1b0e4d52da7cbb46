// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/item_source.hpp"

namespace weft::bench {

/// How the outputs of intervals are spread over them.
struct Spread {
  enum class Kind : uint8_t {
    uniform,  ///< counts uniform in [0, 2 * mean]
    half,     ///< the same, but half of all outputs are one interval's
    zipf,     ///< of the k-th largest in proportion to 1 / k, in random order
    sparse,   ///< nine in ten intervals have none
  };
  Kind kind = Kind::uniform;
  uint32_t mean = 1;

  std::string name() const {
    constexpr const char* kNames[] = {"", " half in one", " zipf", " 90% empty"};
    return "L=" + std::to_string(mean) + kNames[static_cast<size_t>(kind)];
  }
};

/// Counts of intervals with `outputs` outputs in all, and their exclusive sums with the total behind them.
class IntervalCounts {
 public:
  IntervalCounts() = default;
  IntervalCounts(const Spread& spread, uint64_t outputs) : id_(id_of(spread, outputs)) {
    const uint64_t number = IntervalCounts::number(spread, outputs);
    offsets_.reserve(number + 1);
    offsets_.push_back(0);
    const uint64_t big = spread.kind == Spread::Kind::half ? outputs / 2 : 0;
    const double harmonic = std::log(static_cast<double>(number)) + 0.5772;
    uint64_t at = 0;
    for (uint64_t i = 0; i < number; ++i) {
      const uint64_t word = random_word(i);
      uint64_t count = (word * (2 * spread.mean + 1)) >> 32;
      switch (spread.kind) {
        case Spread::Kind::uniform: break;
        case Spread::Kind::half: count = i == number / 3 ? big : count / 2; break;
        case Spread::Kind::zipf: {
          const uint64_t rank = 1 + ((word * number) >> 32);
          count = static_cast<uint64_t>(static_cast<double>(outputs) / (static_cast<double>(rank) * harmonic));
          break;
        }
        case Spread::Kind::sparse: count = word % 10 == 0 ? 10 * count : 0; break;
      }
      // The last takes what is left.
      at = i + 1 == number ? outputs : std::min(outputs, at + count);
      offsets_.push_back(static_cast<uint32_t>(at));
    }
  }

  /// How many there are.
  static uint64_t number(const Spread& spread, uint64_t outputs) {
    return std::max<uint64_t>(1, outputs / spread.mean);
  }
  const std::vector<uint32_t>& offsets() const { return offsets_; }
  HostArray offsets_array() const { return {std::as_bytes(std::span(offsets_)), id_}; }
  uint64_t id() const { return id_; }

  /// No array of an ItemSource has such an id.
  static uint64_t id_of(const Spread& spread, uint64_t outputs) {
    const uint64_t kind = static_cast<uint64_t>(spread.kind) << 60 | uint64_t{spread.mean} << 40;
    return uint64_t{1} << 63 | (kind ^ outputs);
  }

 private:
  uint64_t id_ = 0;
  std::vector<uint32_t> offsets_;
};

}  // namespace weft::bench
