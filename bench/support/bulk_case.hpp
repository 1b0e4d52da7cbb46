// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of BulkRemove and BulkInsert: a quarter of the items is removed or comes in. n: items of the larger side, which
// are those before a removal or after an insertion.
#pragma once

#include "support/bench_case.hpp"

namespace weft::bench {

/// The indices of a quarter of `n` items, ascending: one of every 4, or 1,024 neighbours of every 4,096.
class QuarterIndices {
 public:
  QuarterIndices(uint64_t id, bool clustered, uint64_t n) : id_(id), indices_(n / 4), positions_(n / 4) {
    const uint64_t group = clustered ? 4096 : 4;
    for (uint64_t i = 0; i < indices_.size(); ++i) {
      const uint64_t g = i / (group / 4), first = g * group;
      const uint64_t free = first + group <= n ? group - group / 4 + 1 : 1;
      indices_[i] = static_cast<uint32_t>(first + random_word(g) % free + i % (group / 4));
      positions_[i] = indices_[i] - static_cast<uint32_t>(i);
    }
  }

  std::span<const uint32_t> indices() const { return indices_; }
  HostArray array() const { return {std::as_bytes(std::span(indices_)), id_}; }
  /// Before which of the other items each is.
  HostArray positions_array() const { return {std::as_bytes(std::span(positions_)), id_ + 1}; }
  uint64_t bytes() const { return 2 * indices_.size() * sizeof(uint32_t); }

 private:
  uint64_t id_;
  std::vector<uint32_t> indices_, positions_;
};

/// The rows that both have: add(item, clustered, sizes).
template <class Add>
void add_quarters(const Matrix& matrix, const Add& add) {
  const Sizes some = some_sizes(matrix);
  add(Type::u32, false, matrix.sizes);
  if (matrix.essential) return;
  add(Type::u32, true, some);
  for (const ItemType& item : {ItemType(Type::u8), ItemType(Type::u16), ItemType(Type::u64), ItemType::words(4)})
    add(item, false, some);
}

inline const char* quarter_variant(bool clustered) { return clustered ? "quarter clustered" : "quarter"; }

}  // namespace weft::bench
