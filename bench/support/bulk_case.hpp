// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of BulkRemove and BulkInsert: a quarter of the items is removed or comes in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/bench_case.hpp"

namespace weft::bench {

/// The indices of a quarter of `n` items, ascending: one of every 4, or 1,024 neighbours of every 4,096.
class QuarterPlaces {
 public:
  QuarterPlaces(bool clustered, uint64_t n) : id_(id_of(clustered, n)), places_(n / 4), positions_(n / 4) {
    const uint64_t group = clustered ? 4096 : 4;
    for (uint64_t i = 0; i < places_.size(); ++i) {
      const uint64_t g = i / (group / 4), first = g * group;
      const uint64_t free = first + group <= n ? group - group / 4 + 1 : 1;
      places_[i] = static_cast<uint32_t>(first + random_word(g) % free + i % (group / 4));
      positions_[i] = places_[i] - static_cast<uint32_t>(i);
    }
  }

  std::span<const uint32_t> places() const { return places_; }
  HostArray array() const { return {std::as_bytes(std::span(places_)), id_}; }
  /// Before which of the other items each is.
  HostArray positions_array() const { return {std::as_bytes(std::span(positions_)), id_ | uint64_t{1} << 58}; }
  uint64_t bytes() const { return 2 * places_.size() * sizeof(uint32_t); }

  /// No array of an ItemSource has such an id, nor one of IntervalCounts.
  static uint64_t id_of(bool clustered, uint64_t n) {
    return uint64_t{1} << 63 | uint64_t{7} << 60 | uint64_t{clustered} << 59 | n;
  }

 private:
  uint64_t id_;
  std::vector<uint32_t> places_, positions_;
};

/// n: items of the larger range, which are those before a removal or after an insertion.
template <class Case, class Primitive>
class BulkCase : public CaseOf<Case, Primitive> {
  using Base = CaseOf<Case, Primitive>;

 public:
  BulkCase(const char* primitive, const ItemType& item, bool clustered, Sizes sizes)
      : Base(primitive, clustered ? "quarter clustered" : "quarter", item, {item.bytes, Type::u32}, std::move(sizes)),
        clustered_(clustered) {}

  std::string data() const override { return "random"; }
  Sizes outputs(uint64_t n) const override { return {n * this->item_bytes(), sizeof(uint64_t)}; }

 protected:
  static uint64_t quarter(uint64_t n) { return n / 4; }
  HostArray items(ItemSource& source, uint64_t n) const { return source.array(Data::noise(11), this->item_bytes(), n); }
  const QuarterPlaces& places(ItemSource& source, uint64_t n) const {
    return source.cached<QuarterPlaces>(clustered_, n);
  }

 private:
  bool clustered_;
};

template <class Case>
void add_quarters(const char* primitive, const Matrix& matrix, Cases& cases) {
  const Sizes some = some_sizes(matrix);
  cases.add<Case>(primitive, Type::u32, false, matrix.sizes);
  if (matrix.essential) return;
  cases.add<Case>(primitive, Type::u32, true, some);
  for (const ItemType& item : {ItemType(Type::u8), ItemType(Type::u16), ItemType(Type::u64), ItemType::words(4)})
    cases.add<Case>(primitive, item, false, sizes_for(some, item.bytes));
}

}  // namespace weft::bench
