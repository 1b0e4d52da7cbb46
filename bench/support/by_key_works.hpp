// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "support/work.hpp"

namespace weft::bench {

// u32 values by u32 keys, which come in runs.

/// Inclusive sums.
inline Work scan_by_key_work(const RunData& runs) {
  return {"scan_by_key",
          "inclusive add " + runs.name,
          Type::u32,
          reads({{runs.data}, {Data::stream()}}),
          writes({4}),
          moves(12),
          [](const Inputs& in, Outputs& out) {
            const auto keys = in.as(0);
            const auto heads = [&](uint64_t) { return [&](uint64_t i) { return oracle::is_head(keys, i); }; };
            return oracle::check_sums(
                in.as(1), heads, [](uint64_t) { return true; }, out.fetch(0));
          },
          runs.row_data()};
}

inline Work reduce_by_key_work(const ItemSource& source, const RunData& runs) {
  return {"reduce_by_key",
          "add " + runs.name,
          Type::u32,
          reads({{runs.data}, {Data::stream()}}),
          writes({4, 4}, {4}),
          [share = source.run_share(runs.data, 4)](uint64_t n) { return 8 * (n + share_of(share, n)); },
          [](const Inputs& in, Outputs& out) {
            const auto keys = in.as(0);
            const auto heads = [&](uint64_t) { return [&](uint64_t i) { return oracle::is_head(keys, i); }; };
            const auto is_end = [&](uint64_t i) { return oracle::is_end(keys, i); };
            return oracle::first_bad(oracle::check_unique(keys, out.fetch(0), out.read(2)),
                                     oracle::check_sums(in.as(1), heads, is_end, out.fetch(1)));
          },
          runs.row_data()};
}

/// The rows that both have: add(runs, sizes, forced strategy).
template <class Add>
void add_keyed(const Matrix& matrix, const Add& add) {
  add(RunData::of(8), matrix.sizes, std::nullopt);
  if (matrix.essential) return;
  if (matrix.other_strategy) add(RunData::of(8), matrix.sizes, matrix.other_strategy);
  for (const uint32_t mean : {1u, 100u}) add(RunData::of(mean), some_sizes(matrix), std::nullopt);
  add(RunData::of(*matrix.source), some_sizes(matrix), std::nullopt);
}

}  // namespace weft::bench
