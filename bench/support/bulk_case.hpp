// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of BulkRemove and BulkInsert: a quarter of the items is removed or comes in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {

/// The places of a quarter of `n` items, ascending: one of every 4, or 1,024 neighbours of every 4,096.
class QuarterPlaces {
 public:
  QuarterPlaces() = default;
  QuarterPlaces(bool clustered, uint64_t n) : id_(id_of(clustered, n)), places_(n / 4) {
    const uint64_t group = clustered ? 4096 : 4;
    for (uint64_t i = 0; i < places_.size(); ++i) {
      const uint64_t g = i / (group / 4), first = g * group;
      const uint64_t free = first + group <= n ? group - group / 4 + 1 : 1;
      places_[i] = static_cast<uint32_t>(first + random_word(g) % free + i % (group / 4));
    }
  }

  const std::vector<uint32_t>& places() const { return places_; }
  HostArray array() const { return {std::as_bytes(std::span(places_)), id_}; }
  uint64_t id() const { return id_; }

  /// No array of an ItemSource has such an id, nor one of IntervalCounts.
  static uint64_t id_of(bool clustered, uint64_t n) {
    return uint64_t{1} << 63 | uint64_t{7} << 60 | uint64_t{clustered} << 59 | n;
  }

 private:
  uint64_t id_ = 0;
  std::vector<uint32_t> places_;
};

/// n: items of the larger side, which are those before a removal or behind an insertion.
class BulkCase : public BenchCase {
 public:
  BulkCase(std::string primitive, const ItemType& item, bool clustered, std::vector<uint64_t> sizes)
      : BenchCase(std::move(primitive), clustered ? "quarter clustered" : "quarter", item.name, item.bytes,
                  std::move(sizes)),
        clustered_(clustered) {}

  void release() override { places_ = {}; }
  std::string data() const override { return "random"; }

 protected:
  static constexpr Data kItems = Data::noise(11), kInserted = Data::noise(12);

  static uint64_t quarter(uint64_t n) { return n / 4; }
  /// Kept until it is asked for another n.
  const QuarterPlaces& places(uint64_t n) const {
    if (places_.id() != QuarterPlaces::id_of(clustered_, n)) places_ = QuarterPlaces(clustered_, n);
    return places_;
  }

 private:
  bool clustered_;
  mutable QuarterPlaces places_;
};

/// The rows of a primitive: add(item, clustered, sizes).
template <class Add>
void add_quarters(const Matrix& matrix, const Add& add) {
  const auto some = some_sizes(matrix);
  add(ItemType::of(Type::u32), false, matrix.sizes);
  if (matrix.essential) return;
  add(ItemType::of(Type::u32), true, some);
  for (const ItemType& item :
       {ItemType::of(Type::u8), ItemType::of(Type::u16), ItemType::of(Type::u64), ItemType::words(4)})
    add(item, false, sizes_for(some, item.bytes));
}

}  // namespace weft::bench
