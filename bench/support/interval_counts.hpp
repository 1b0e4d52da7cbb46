// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
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
    fixed,    ///< all have the mean
    mixed,    ///< 16 times a power of two, all powers up to 2^12 being as frequent
  };
  Kind kind = Kind::uniform;
  uint32_t mean = 1;
  bool operator==(const Spread&) const = default;

  /// How many intervals there are.
  uint64_t number(uint64_t outputs) const { return std::max<uint64_t>(1, outputs / mean); }
  std::string name() const {
    if (kind == Kind::fixed) return std::to_string(mean) + " B each";
    if (kind == Kind::mixed) return "16 B to 64 KiB";
    constexpr const char* kNames[] = {"", " half in one", " zipf", " 90% empty"};
    return "L=" + std::to_string(mean) + kNames[static_cast<size_t>(kind)];
  }
};

/// Counts of intervals with `outputs` outputs in all, and their exclusive sums with the total after them.
class IntervalCounts {
 public:
  IntervalCounts(uint64_t id, const Spread& spread, uint64_t outputs) : id_(id) {
    const uint64_t number = spread.number(outputs);
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
        case Spread::Kind::fixed: count = spread.mean; break;
        case Spread::Kind::mixed: count = uint64_t{16} << (word % 13); break;
      }
      // The last takes what is left.
      at = i + 1 == number ? outputs : std::min(outputs, at + count);
      offsets_.push_back(static_cast<uint32_t>(at));
    }
  }

  const std::vector<uint32_t>& offsets() const { return offsets_; }
  HostArray offsets_array() const { return {std::as_bytes(std::span(offsets_)), id_}; }
  uint64_t id() const { return id_; }
  uint64_t bytes() const { return offsets_.size() * sizeof(uint32_t); }

 private:
  uint64_t id_ = 0;
  std::vector<uint32_t> offsets_;
};

/// Counts of intervals, and a 0 after them, whose exclusive sums are the offsets with the total.
class CountedIntervals {
 public:
  CountedIntervals(uint64_t id, const Spread& spread, uint64_t outputs) : id_(id) {
    const std::vector<uint32_t> offsets = IntervalCounts(id, spread, outputs).offsets();
    counts_.resize(offsets.size());
    for (size_t i = 0; i + 1 < offsets.size(); ++i) counts_[i] = offsets[i + 1] - offsets[i];
  }

  HostArray counts_array() const { return {std::as_bytes(std::span(counts_)), id_}; }
  uint64_t bytes() const { return counts_.size() * sizeof(uint32_t); }

 private:
  uint64_t id_;
  std::vector<uint32_t> counts_;
};

/// Buffers of bytes that are copied in batches.
inline std::vector<Spread> batched_copy_spreads(bool essential) {
  if (essential) return {{Spread::Kind::fixed, 1024}};
  std::vector<Spread> spreads;
  for (const uint32_t bytes : {16u, 64u, 256u, 1024u, 4096u, 65536u}) spreads.push_back({Spread::Kind::fixed, bytes});
  spreads.push_back({Spread::Kind::mixed, 16 * 8191 / 13});
  return spreads;
}

/// Intervals that lie in one random order at the source and in another at the destination, without gaps.
class MovedIntervals {
 public:
  MovedIntervals(uint64_t id, const Spread& spread, uint64_t outputs) : counts_(id, spread, outputs) {
    const uint64_t number = counts_.offsets().size() - 1;
    lengths_.resize(number);
    gather_.resize(number);
    scatter_.resize(number);
    for (uint64_t i = 0; i < number; ++i) lengths_[i] = count(i);
    const std::vector<uint32_t> at_source = shuffled(number, 1);
    at_destination_ = shuffled(number, 2);
    uint32_t source = 0, destination = 0;
    for (uint64_t k = 0; k < number; ++k) {
      gather_[at_source[k]] = source;
      source += lengths_[at_source[k]];
      scatter_[at_destination_[k]] = destination;
      destination += lengths_[at_destination_[k]];
    }
  }

  uint64_t bytes() const { return 5 * counts_.bytes(); }
  uint32_t count(uint64_t i) const { return counts_.offsets()[i + 1] - counts_.offsets()[i]; }
  const std::vector<uint32_t>& gather() const { return gather_; }
  const std::vector<uint32_t>& scatter() const { return scatter_; }
  /// The interval that is the k-th at the destination.
  uint64_t scattered(uint64_t k) const { return at_destination_[k]; }

  HostArray offsets_array() const { return counts_.offsets_array(); }
  HostArray counts_array() const { return array(lengths_, 1); }
  HostArray gather_array() const { return array(gather_, 2); }
  HostArray scatter_array() const { return array(scatter_, 3); }

 private:
  /// 0 to number - 1, all orders being as likely.
  static std::vector<uint32_t> shuffled(uint64_t number, uint32_t seed) {
    std::vector<uint32_t> order(number);
    std::iota(order.begin(), order.end(), 0u);
    for (uint64_t k = number; k > 1; --k) std::swap(order[k - 1], order[(uint64_t{random_word(k, seed)} * k) >> 32]);
    return order;
  }

  HostArray array(const std::vector<uint32_t>& words, uint64_t kind) const {
    return {std::as_bytes(std::span(words)), counts_.id() + kind};
  }

  IntervalCounts counts_;
  std::vector<uint32_t> lengths_, gather_, scatter_, at_destination_;
};

}  // namespace weft::bench
