// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <mutex>

#include "support/work.hpp"

namespace weft::bench {

/// Bins of equal width over all values of u8, u16 or u32. `mean_run`: of runs of items; 0: the source's.
inline Work histogram_work(uint32_t bins, Type item, uint32_t mean_run = 0) {
  const RunData runs = mean_run != 0 ? RunData::of(mean_run) : RunData{};
  return {"histogram",
          "even bins=" + std::to_string(bins) + (mean_run != 0 ? ' ' + runs.name : ""),
          item,
          reads({{runs.data, size_of(item)}}),
          writes({}, {4 * bins}),
          moves(size_of(item)),
          [=](const Inputs& in, Outputs& out) {
            return with_item(size_of(item), [&]<class T>(T*) -> Verdict {
              if constexpr (sizeof(T) > 4)
                return oracle::no_oracle();
              else {
                // Four tables a thread, so that equal neighbours do not wait for each other.
                constexpr uint64_t kTables = 4;
                const auto items = in.as<T>();
                std::vector<uint32_t> counts(bins);
                std::mutex mutex;
                const auto count = [&](uint64_t begin, uint64_t end) {
                  std::vector<uint32_t> tables(kTables * bins);
                  for (uint64_t i = begin; i < end; ++i)
                    ++tables[i % kTables * bins + (uint64_t{items[i]} * bins >> 8 * sizeof(T))];
                  const std::lock_guard lock(mutex);
                  for (uint64_t i = 0; i < tables.size(); ++i) counts[i % bins] += tables[i];
                };
                for_each_range(items.size(), count, uint64_t{1} << 24);
                return oracle::check_items("items in bin", std::span<const uint32_t>(counts), out.fetch(0));
              }
            });
          },
          runs.row_data()};
}

}  // namespace weft::bench
