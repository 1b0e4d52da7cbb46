// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_remove.hpp>

#include "support/bulk_case.hpp"

namespace weft::bench {
namespace {

class BulkRemoveCase : public BulkCase<BulkRemoveCase, BulkRemove> {
 public:
  using BulkCase::BulkCase;

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {items(source, n), places(source, n).array()};
  }
  uint64_t moved_bytes(uint64_t n) const override {
    return (2 * n - quarter(n)) * item_bytes() + quarter(n) * sizeof(uint32_t);
  }
  BulkRemoveArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.outputs[1], buffers.scratch, n,
            quarter(n)};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      const auto before_items = items_of<T>(inputs(source, n)[0].bytes);
      const std::span<const uint32_t> removed = places(source, n).places();
      const auto before = [&](uint64_t i) {
        return static_cast<uint64_t>(std::lower_bound(removed.begin(), removed.end(), i) - removed.begin());
      };
      const auto staying = [&](uint64_t begin, uint64_t end) {
        return oracle::Position{end - begin - (before(end) - before(begin))};
      };
      const auto write = [&](uint64_t begin, uint64_t end, oracle::Position, T* out) {
        for (uint64_t i = begin, j = before(begin); i < end; ++i) {
          const bool goes = j < removed.size() && removed[j] == i;
          if (!goes) *out++ = before_items[i];
          j += goes ? 1 : 0;
        }
      };
      return oracle::first_bad(oracle::same_count(n - quarter(n), found.count(1)),
                               oracle::check_blocks<T>("item", n, oracle::Position{}, staying, oracle::after, write,
                                                       found.fetch(0, sizeof(T))));
    });
  }
};

const Rows bulk_remove_rows("bulk_remove", 80, [](const Matrix& matrix, Cases& cases) {
  add_quarters<BulkRemoveCase>("bulk_remove", matrix, cases);
});

}  // namespace
}  // namespace weft::bench
